"""
Calls the email service with Resend's published client and prints the results as JSON. RESEND_API_URL and RESEND_API_KEY are the
variables that the client itself reads.
"""

import json
import os

import resend
from resend.exceptions import ResendError

email = {
    "from": f"Aster Shop <{os.environ['MAIL_FROM']}>",
    "to": ["python@example.com"],
    "subject": "Order from Python",
    "html": "<p>Thank you, <b>Mina</b>.</p>",
    "tags": [{"name": "category", "value": "python"}],
    "reply_to": "help@aster.example",
}


def error_of(call):
    try:
        call()
    except ResendError as error:
        return [type(error).__name__, error.code, error.error_type, error.message]
    return None


# The client also accepts bytes as a list of numbers.
with_files = {
    **email,
    "attachments": [
        {"filename": "table.csv", "content": list(range(256))},
        {"filename": "logo.png", "content": "iVBORw0KGgo=", "content_id": "logo"},
    ],
}
sent = resend.Emails.send(with_files, {"idempotency_key": os.environ["IDEMPOTENCY_KEY"]})
repeated = resend.Emails.send(with_files, {"idempotency_key": os.environ["IDEMPOTENCY_KEY"]})
later = resend.Emails.send({**email, "to": "later@example.com", "scheduled_at": os.environ["TOMORROW"]})
moved = resend.Emails.update({"id": later["id"], "scheduled_at": os.environ["DAY_AFTER"]})
batch = resend.Batch.send(
    [{**email, "to": "batch@example.com"}, {**email, "to": "nobody"}],
    {"batch_validation": "permissive"},
)
shown = resend.Emails.get(later["id"])
print(
    json.dumps(
        {
            "repeated": repeated["id"] == sent["id"],
            "moved": moved["id"] == later["id"],
            "shown": [shown["from"], shown["to"], shown["subject"], shown["last_event"], shown["scheduled_at"]],
            "cancelled": resend.Emails.cancel(later["id"])["id"] == later["id"],
            "batch": [len(batch["data"]), [error["index"] for error in batch["errors"]]],
            "invalid": error_of(lambda: resend.Emails.send({**email, "cc": "ada@example.com"})),
            "unknown": error_of(lambda: resend.Emails.get("00000000-0000-7000-8000-000000000000")),
        }
    )
)
