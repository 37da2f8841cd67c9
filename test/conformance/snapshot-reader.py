# A feed reader that knows archives (RFC 5005 4), on feedparser: starts at the newest page and follows prev-archive to the
# first record. Prints the ids it met, in their order, one JSON list for each document.
import json
import sys
import urllib.parse

import feedparser

url = sys.argv[1]
seen = set()
while url is not None and url not in seen:
    seen.add(url)
    feed = feedparser.parse(url)
    if feed.bozo or feed.get("status") != 200:
        sys.exit("%s: status %s, %s" % (url, feed.get("status"), feed.get("bozo_exception")))
    print(json.dumps([entry.id for entry in feed.entries]))
    links = [link.href for link in feed.feed.get("links", []) if link.rel == "prev-archive"]
    url = urllib.parse.urljoin(url, links[0]) if links else None
