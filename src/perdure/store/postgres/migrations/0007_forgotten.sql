-- How far each organization has forgotten: the place in the history of all at which the last fact stood that is not there any more. Whoever
-- goes on with the feed from before it has missed something, and is told so.
CREATE TABLE forgotten (
  organization text COLLATE "C" PRIMARY KEY,
  pos bigint NOT NULL
);
