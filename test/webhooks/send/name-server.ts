// A name server on this machine: answers what a test says, or nothing (RFC 1035 4.1, one question in each message).
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { onTestFinished } from 'vitest';

/** What it says of a name: addresses and their time to live in seconds, that there is no such name, or nothing. */
export type Answer = { readonly addresses: readonly string[]; readonly ttl: number } | 'no such name' | 'silence';

/** A running name server. */
export interface NameServer {
  /** As `dns.setServers()` takes it. */
  readonly address: string;
  /** The names it was asked for, one for each question of either family. */
  readonly asked: readonly string[];
}

const NO_SUCH_NAME = 3;
const TYPE_A = 1;

/** Starts one; it is closed when the test ends. */
export async function nameServer(answer: (name: string) => Answer): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message);
    asked.push(name);
    const said = answer(name);
    if (said === 'silence') return;
    const addresses = said === 'no such name' ? [] : said.addresses;
    const records = addresses
      .filter((one) => isIPv4(one) === (type === TYPE_A))
      .map((one) => recordOf(type, said === 'no such name' ? 0 : said.ttl, one));
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    // A response, recursion desired and available.
    head.writeUInt16BE(0x8180 | (said === 'no such name' ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function questionOf(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(type: number, ttl: number, address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : v6Bytes(address);
  const head = Buffer.alloc(12);
  // The name is that of the question: a pointer to it (RFC 1035 4.1.4).
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

/** Eight groups, with at most one `::`. */
function v6Bytes(address: string): Buffer {
  const [before, after] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before!.length - (after?.length ?? 0) }, () => '0');
  const groups = [...before!, ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16));
  const bytes = Buffer.alloc(16);
  for (const [index, group] of groups.entries()) bytes.writeUInt16BE(group, 2 * index);
  return bytes;
}
