-- When a schedule was reset last: its slots start executions with other ids from then on.
ALTER TABLE schedules ADD COLUMN reset_at bigint;
