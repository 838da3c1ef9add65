"""Taking the end of a text home to the owner who planned it, once."""

from uuid import UUID

from channels.delivery import sql
from jobs.db import Conn
from jobs.owners import SettledMessage


def settle(db: Conn, message_id: UUID) -> SettledMessage | None:
    """Claim the end of a text for its owner, in the transaction in which the owner then acts on it.

    None: it has not ended, nobody wants to know, or it was taken home already. A rollback leaves it to be taken again.
    """
    row = sql.settle(db, id=message_id)
    if row is None:
        return None
    return SettledMessage(
        id=row["id"], workspace_id=row["workspace_id"], key=row["idempotency_key"], purpose=row["purpose"],
        source=row["source"], job_id=row["job_id"], person_id=row["person_id"], vendor_id=row["vendor_id"],
        body=row["body"], outcome=row["status"], last_error=row["last_error"])
