-- Workflows and their versions.

-- name: insert_model
-- A model, and what it was lowered from. The same model is kept once; a document that comes to it says more than a program that built it.
INSERT INTO models (digest, data, dialect) VALUES (?, ?, ?)
ON CONFLICT (digest) DO UPDATE SET dialect = excluded.dialect WHERE dialect = 'model' AND excluded.dialect <> 'model';

-- name: is_newest
-- The workflow has a newer version. Others call it by the name of its active one, if there is one.
INSERT INTO workflows (organization, id, name, newest) VALUES (?, ?, ?, ?)
ON CONFLICT (organization, id) DO UPDATE SET name = iif(active IS NULL, excluded.name, name), newest = excluded.newest;
