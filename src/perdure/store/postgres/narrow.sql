-- What a reader of one organization says in other words: it may ask for a model that it can name, and for no others.

-- name: model
SELECT data FROM model_with(?);

-- name: dialect
SELECT dialect FROM model_with(?);
