-- The http channel: how far the history of a bridge has been read, and who writes from an address.

CREATE TABLE channel_histories (
  channel text PRIMARY KEY,
  cursor  text NOT NULL DEFAULT '',
  read_at timestamptz NOT NULL DEFAULT app_now()
);

CREATE INDEX directory_managers_by_address ON directory_people (channel, address) WHERE role = 'manager';
