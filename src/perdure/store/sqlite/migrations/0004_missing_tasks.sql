-- Which worker has which tasks, and which calls wait for a worker that has theirs.

ALTER TABLE workers ADD COLUMN tasks TEXT NOT NULL DEFAULT '[]'; -- JSON

CREATE TABLE uncalled (
  eid INTEGER NOT NULL,
  op INTEGER NOT NULL,             -- it is under way, as the history tells it, and nobody has called it
  task TEXT NOT NULL,
  PRIMARY KEY (eid, op)
) STRICT, WITHOUT ROWID;
CREATE INDEX uncalled_by_task ON uncalled (task, eid);
