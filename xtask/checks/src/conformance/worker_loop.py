"""The loop of a worker: one request a line in, one answer a line out, in the order of the requests.

A request is a JSON object whose "op" names a method of what `make` gives, which takes the request and gives the answer. An
exception is an answer {"error"}, in the words of `describe`. An "id" comes back. What libraries print goes to the standard
error stream.
"""

import json
import os
import sys


def type_and_words(error):
    return f"{type(error).__name__}: {error}"


def serve(make, describe=type_and_words):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = None
    for line in sys.stdin:
        if not line.strip():
            continue
        request = json.loads(line)
        try:
            worker = worker or make()
            answer = getattr(worker, request["op"])(request)
        except BaseException as error:  # noqa: BLE001 - the caller decides what an error means
            answer = {"error": describe(error)}
        if "id" in request:
            answer["id"] = request["id"]
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
