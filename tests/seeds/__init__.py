"""Every example of the seeds that is a document or a part of one, and what it must come to."""
