"""Owns every conversation with a property manager: paces, asks, interprets, hands back."""
