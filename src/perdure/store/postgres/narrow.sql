-- What a reader of one organization says in other words.

-- name: model
-- It may ask for a model that it can name, and for no others.
SELECT data FROM model_with(?);

-- name: dialect
SELECT dialect FROM model_with(?);

-- name: mail_of
-- By a list of numbers, not by texts that are made numbers row by row: that is nothing that the server lets come before a policy.
SELECT eid, pos, data FROM inbox WHERE eid = ANY (ARRAY(SELECT value::bigint FROM json_array_elements_text(?::json) AS given (value))) ORDER BY eid, pos;
