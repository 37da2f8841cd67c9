// The programs of the guide, with the service's real addresses. Each is whole and needs only what its language brings; the conformance suite runs
// all of them.

/** What the programs name. */
export interface SamplePlace {
  /** The public URL of the API. */
  readonly api: string;
  /** The id of a register. */
  readonly feedId: string;
}

/** A program in several languages. */
export type Sample = Readonly<Record<'Python' | 'PHP' | 'Go' | 'Node', string>>;

/** The key in a header. */
export function keySample({ api, feedId }: SamplePlace): string {
  return `curl -H "Authorization: Bearer $GAZETTE_KEY" \\
  "${api}/feeds/${feedId}/records?limit=2"`;
}

/** All records of a register, page by page. */
export function pagingSample({ api, feedId }: SamplePlace): Sample {
  return {
    Python: `import json, os, re, urllib.request

url = "${api}/feeds/${feedId}/records?limit=100"
headers = {"Authorization": "Bearer " + os.environ["GAZETTE_KEY"]} if "GAZETTE_KEY" in os.environ else {}
while url:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        for record in json.load(answer)["records"]:
            print(record["id"], record["title"])
        following = re.search(r'<([^>]+)>; rel="next"', answer.headers.get("Link") or "")
    url = following and following.group(1)
`,
    PHP: `<?php
$url = '${api}/feeds/${feedId}/records?limit=100';
$key = getenv('GAZETTE_KEY');
$context = stream_context_create(['http' => ['header' => $key === false ? [] : ["Authorization: Bearer $key"]]]);
while ($url !== null) {
    $answer = fopen($url, 'r', false, $context);
    if ($answer === false) exit(1);
    foreach (json_decode(stream_get_contents($answer), true)['records'] as $record) {
        echo $record['id'], ' ', $record['title'], "\\n";
    }
    $headers = implode("\\n", stream_get_meta_data($answer)['wrapper_data']);
    $url = preg_match('/<([^>]+)>; rel="next"/', $headers, $next) ? $next[1] : null;
}
`,
    Go: `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
)

var next = regexp.MustCompile(\`<([^>]+)>; rel="next"\`)

func read(url string) string {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		log.Fatal(err)
	}
	if key := os.Getenv("GAZETTE_KEY"); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		log.Fatal(answer.Status)
	}
	var page struct {
		Records []struct{ ID, Title string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		log.Fatal(err)
	}
	for _, record := range page.Records {
		fmt.Println(record.ID, record.Title)
	}
	found := next.FindStringSubmatch(strings.Join(answer.Header.Values("Link"), ", "))
	if found == nil {
		return ""
	}
	return found[1]
}

func main() {
	url := "${api}/feeds/${feedId}/records?limit=100"
	for url != "" {
		url = read(url)
	}
}
`,
    Node: `let url = '${api}/feeds/${feedId}/records?limit=100';
const { GAZETTE_KEY } = process.env;
const headers = GAZETTE_KEY ? { Authorization: \`Bearer \${GAZETTE_KEY}\` } : {};
while (url) {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error((await answer.json()).detail);
  for (const { id, title } of (await answer.json()).records) console.log(id, title);
  url = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
}
`,
  };
}

/** Checks the signature of a webhook. Called with the body as it came, the header \`X-Register-Signature\` and the endpoint's secret. */
export const WEBHOOK_SAMPLE: Sample = {
  Python: `import hashlib, hmac, re, time

def is_genuine(raw_body: bytes, header: str, secret: str, now=None) -> bool:
    parts = [part.split("=", 1) for part in header.split(",")]
    sent = next((part[1] for part in parts if part[0] == "t" and len(part) == 2), "")
    if not re.fullmatch(r"[0-9]+", sent) or abs((time.time() if now is None else now) - int(sent)) > 300:
        return False
    expected = hmac.new(secret.encode(), sent.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    return any(part[0] == "v1" and hmac.compare_digest(part[-1].encode(), expected.encode()) for part in parts)
`,
  PHP: `<?php
function is_genuine(string $rawBody, string $header, string $secret, ?int $now = null): bool {
    $sent = '';
    $digests = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
        if ($name === 't') $sent = $value;
        if ($name === 'v1') $digests[] = $value;
    }
    if (!preg_match('/\\A[0-9]+\\z/', $sent) || abs(($now ?? time()) - (int) $sent) > 300) return false;
    $expected = hash_hmac('sha256', $sent . '.' . $rawBody, $secret);
    foreach ($digests as $digest) {
        if (hash_equals($expected, $digest)) return true;
    }
    return false;
}
// $rawBody = file_get_contents('php://input'); $header = $_SERVER['HTTP_X_REGISTER_SIGNATURE'] ?? '';
`,
  Go: `package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

func IsGenuine(rawBody []byte, header, secret string, now time.Time) bool {
	sent, digests := "", []string{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			sent = value
		case "v1":
			digests = append(digests, value)
		}
	}
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 300*time.Second {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(sent + "."))
	mac.Write(rawBody)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, digest := range digests {
		if hmac.Equal([]byte(digest), expected) {
			return true
		}
	}
	return false
}
`,
  Node: `import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(rawBody, header, secret, now = Date.now() / 1000) {
  const parts = header.split(',').map((part) => part.split('='));
  const sent = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^[0-9]+$/.test(sent) || Math.abs(now - Number(sent)) > 300) return false;
  const expected = createHmac('sha256', secret).update(sent + '.').update(rawBody).digest();
  return parts.some(([name, hex]) => name === 'v1' && /^[0-9a-f]{64}$/.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected));
}
`,
};
