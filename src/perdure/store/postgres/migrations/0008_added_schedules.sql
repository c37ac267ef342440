-- Schedules that were added to a workflow beside its document stay through its versions.
ALTER TABLE schedules ADD COLUMN added smallint NOT NULL DEFAULT 0;
