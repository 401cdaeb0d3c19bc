"""Readers and writers: bytes to tables and back, and which column means what. No Qt."""
