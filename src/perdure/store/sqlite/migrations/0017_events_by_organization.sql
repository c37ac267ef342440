-- Unrouted events are shared out between organizations.
CREATE INDEX events_unrouted_of ON events (organization, pos) WHERE routed = 0;
