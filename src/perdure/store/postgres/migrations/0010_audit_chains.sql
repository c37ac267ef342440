-- How far each chain of the audit goes, so that a missing end is noticed; and entries that are found by the approval that they are about.
CREATE TABLE audit_chains (
  organization text COLLATE "C" NOT NULL,
  writer text COLLATE "C" NOT NULL,
  entries bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,  -- of the last one
  PRIMARY KEY (organization, writer)
);
INSERT INTO audit_chains (organization, writer, entries, hash)
SELECT organization, writer, number, CASE WHEN data IS JSON OBJECT THEN coalesce(data::json ->> 'hash', '') ELSE '' END FROM audit
WHERE number = (SELECT max(number) FROM audit AS own WHERE own.organization = audit.organization AND own.writer = audit.writer);

ALTER TABLE audit ADD COLUMN approval text COLLATE "C";  -- that it is about
UPDATE audit SET approval = data::json ->> 'subject' WHERE CASE WHEN data IS JSON OBJECT THEN data::json ->> 'register' = 'approvals' ELSE false END;
CREATE INDEX audit_of_approval ON audit (approval, pos) WHERE approval IS NOT NULL;
