# SPDX-License-Identifier: Apache-2.0
"""Reads a file in the Trace Event Format and checks it by the format's rules: what every kind of event must have, that calls of a
line do not overlap unless one is inside the other, and that every arrow has a beginning and an end in a call of its line."""
import bisect
import collections
import json

TIME = (int, float)


def check_lines(calls):
    """Calls of each line, sorted; Perfetto drops those that overlap in part."""
    lines = collections.defaultdict(list)
    for call in calls:
        lines[call["pid"], call["tid"]].append((call["ts"], call["ts"] + call["dur"]))
    for line in lines.values():
        line.sort(key=lambda call: (call[0], -call[1]))
        ends = []
        for begin, end in line:
            while ends and ends[-1] <= begin + 1e-9:
                ends.pop()
            assert not ends or end <= ends[-1] + 1e-6, (begin, end, ends[-1])
            ends.append(end)
    return lines


def is_in_call(line, time):
    last = bisect.bisect_right(line, (time + 1e-6, float("inf")))
    return any(begin - 1e-6 <= time <= end + 1e-6 for begin, end in line[max(0, last - 3):last])


def arrows_of(events):
    """(begin, end) of each arrow."""
    ends = collections.defaultdict(dict)
    for event in events:
        if event["ph"] in ("s", "f"):
            assert event["ph"] not in ends[event["cat"], event["id"]], event
            ends[event["cat"], event["id"]][event["ph"]] = event
    assert all(set(arrow) == {"s", "f"} for arrow in ends.values()), [arrow for arrow in ends.values() if len(arrow) != 2][:3]
    return [(arrow["s"], arrow["f"]) for arrow in ends.values()]


def read_events(path):
    with open(path) as file:
        events = json.load(file)
    assert isinstance(events, list)
    for event in events:
        assert event["ph"] in "XMsfi" and isinstance(event["name"], str) and isinstance(event["pid"], int), event
        assert isinstance(event.get("args", {}), dict), event
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name") and isinstance(event["args"]["name"], str), event
            continue
        assert isinstance(event["tid"], int) and isinstance(event["cat"], str), event
        assert isinstance(event["ts"], TIME) and event["ts"] >= 0, event
        if event["ph"] == "X":
            assert isinstance(event["dur"], TIME) and event["dur"] >= 0 and event["args"]["bytes"] >= 0, event
        if event["ph"] == "f":
            assert event["bp"] == "e", event
        if event["ph"] == "i":
            assert event["s"] in ("g", "p", "t"), event
    lines = check_lines([event for event in events if event["ph"] == "X"])
    for begin, end in arrows_of(events):
        assert begin["ts"] <= end["ts"] + 1e-6, (begin, end)
        for event in (begin, end):
            assert is_in_call(lines[event["pid"], event["tid"]], event["ts"]), event
    return events
