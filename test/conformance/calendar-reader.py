# Reads calendars, one JSON string on each line of a file, by the package icalendar, and prints the events of each as JSON.
import datetime
import json
import sys

import icalendar


def text(event, name):
    return None if event.get(name) is None else str(event[name])


def start(event):
    value = event.decoded("dtstart")
    if isinstance(value, datetime.datetime):
        return int((value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)).total_seconds()) * 1000
    return value.isoformat()


for line in open(sys.argv[1], encoding="utf-8"):
    calendar = icalendar.Calendar.from_ical(json.loads(line))
    events = [
        {
            **{name: text(event, name) for name in ["uid", "status", "summary", "description", "url"]},
            "sequence": int(event["sequence"]),
            "start": start(event),
        }
        for event in calendar.walk("vevent")
    ]
    print(json.dumps(events))
