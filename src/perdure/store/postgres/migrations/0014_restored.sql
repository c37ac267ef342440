-- Stored transaction numbers may be ahead of those of the server, in a database that was restored from another one. Then
-- `numbering.py` replaces `base_place`, `horizon` and this function, which all add the same shift to the numbers of the server.
CREATE FUNCTION seen_now() RETURNS pg_snapshot LANGUAGE sql STABLE AS $$ SELECT pg_current_snapshot() $$;
ALTER TABLE executions ALTER COLUMN born SET DEFAULT seen_now();
