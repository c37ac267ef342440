-- How far each chain of the audit goes, so that a missing end is noticed; and entries that are found by the approval that they are about.
CREATE TABLE audit_chains (
  organization TEXT NOT NULL,
  writer TEXT NOT NULL,
  entries INTEGER NOT NULL,
  hash TEXT NOT NULL,              -- of the last one
  PRIMARY KEY (organization, writer)
) STRICT, WITHOUT ROWID;
INSERT INTO audit_chains (organization, writer, entries, hash)
SELECT organization, writer, number, CASE WHEN json_valid(data) THEN coalesce(json_extract(data, '$.hash'), '') ELSE '' END FROM audit
WHERE number = (SELECT max(number) FROM audit AS own WHERE own.organization = audit.organization AND own.writer = audit.writer);

ALTER TABLE audit ADD COLUMN approval TEXT;  -- that it is about
UPDATE audit SET approval = json_extract(data, '$.subject') WHERE json_valid(data) AND json_extract(data, '$.register') = 'approvals';
CREATE INDEX audit_of_approval ON audit (approval) WHERE approval IS NOT NULL;
