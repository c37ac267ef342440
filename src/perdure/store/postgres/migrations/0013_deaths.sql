-- Deaths of owners in a row, and those of owners that held nothing else. They mean something only while `crashes` is not zero.
ALTER TABLE executions ADD COLUMN deaths bigint NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN deaths_alone bigint NOT NULL DEFAULT 0;
UPDATE executions SET deaths = crashes WHERE crashes > 0;
