"""`/api/secrets`, `/api/connections`, `/api/webhooks`, `/api/notifiers`: what workflows and people need around them."""
