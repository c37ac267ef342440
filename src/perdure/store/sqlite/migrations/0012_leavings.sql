-- What is left of executions that have been forgotten and were too long to go in one commit: their facts and large values go part by part.
CREATE TABLE leavings (
  eid INTEGER PRIMARY KEY
) STRICT;
