"""Calls the service at STORAGE_URL with Supabase's storage client for Python and prints the results as one JSON object."""

import json
import os
from urllib.request import urlopen

from storage3 import create_client
from storage3.exceptions import StorageApiError

client = create_client(os.environ["STORAGE_URL"], {"authorization": f"Bearer {os.environ['STORAGE_BEARER']}"}, is_async=False)
files = client.from_("company")


def read_error(call):
    try:
        call()
    except StorageApiError as error:
        return [str(error.status), error.code]
    return None


def fetch(url):
    with urlopen(url) as response:
        return response.read().decode()


results = {}
client.create_bucket("python", options={"public": False, "file_size_limit": 1_000_000})
results["buckets"] = sorted([bucket.id, bucket.owner] for bucket in client.list_buckets())
results["bucket"] = client.get_bucket("python").file_size_limit

stored = files.upload("py/été 1.txt", b"hello", {"content-type": "text/plain", "metadata": {"by": "mina"}})
results["stored"] = stored.full_path
results["taken"] = read_error(lambda: files.upload("py/été 1.txt", b"again"))
files.update("py/été 1.txt", b"changed", {"content-type": "text/plain"})
results["downloaded"] = files.download("py/été 1.txt").decode()
results["exists"] = [files.exists("py/été 1.txt"), files.exists("py/none.txt")]
results["info"] = files.info("py/été 1.txt")

files.copy("py/été 1.txt", "py/copy.txt")
files.move("py/copy.txt", "py/moved.txt")
listed = files.list("py", {"sortBy": {"column": "name", "order": "desc"}})
results["listed"] = [[entry["name"], entry["owner"]] for entry in listed]
results["listed_v2"] = [entry.name for entry in files.list_v2({"prefix": "py/", "with_delimiter": True}).objects]

results["signed"] = fetch(files.create_signed_url("py/été 1.txt", 60)["signedUrl"])
several = files.create_signed_urls(["py/moved.txt", "py/none.txt"], 60)
results["signed_many"] = [entry["error"] or fetch(entry["signedUrl"]) for entry in several]
results["too_long"] = read_error(lambda: files.create_signed_url("py/moved.txt", 10**8))
results["signed_upload"] = read_error(lambda: files.create_signed_upload_url("py/other.txt"))

results["removed"] = sorted(entry["name"] for entry in files.remove(["py/été 1.txt", "py/moved.txt", "py/none.txt"]))
client.empty_bucket("python")
results["deleted"] = client.delete_bucket("python")["message"]
print(json.dumps(results))
