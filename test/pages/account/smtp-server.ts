// A small mail server (RFC 5321): it takes every mail and keeps it as it came.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A mail as it was sent. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, as they came, with lines ending in a line feed. */
  readonly source: string;
}

/** A running server. */
export interface SmtpServer {
  readonly url: string;
  readonly mails: readonly SentMail[];
  stop(): Promise<void>;
}

/** Starts one. @param refuses whether it refuses every recipient */
export async function smtpServer({ refuses = false }: { readonly refuses?: boolean } = {}): Promise<SmtpServer> {
  const mails: SentMail[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.setEncoding('utf8'));
    let text = '';
    let from = '';
    let to: string[] = [];
    let isData = false;
    const say = (line: string): boolean => socket.write(`${line}\r\n`);
    say('220 test');
    socket.on('data', (chunk: string) => {
      text += chunk;
      for (;;) {
        const end = isData ? text.indexOf('\r\n.\r\n') : text.indexOf('\r\n');
        if (end === -1) return;
        const line = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          mails.push({ from, to, source: line.replaceAll('\r\n', '\n') });
          [isData, to] = [false, []];
          say('250 taken');
        } else if (/^EHLO|^HELO/i.test(line)) say('250 test');
        else if (/^MAIL FROM:/i.test(line)) {
          from = /<(.*)>/.exec(line)![1]!;
          say('250 ok');
        } else if (/^RCPT TO:/i.test(line)) {
          if (!refuses) to.push(/<(.*)>/.exec(line)![1]!);
          say(refuses ? '550 no' : '250 ok');
        } else if (/^DATA/i.test(line)) {
          isData = true;
          say('354 go on');
        } else if (/^QUIT/i.test(line)) {
          say('221 bye');
          socket.end();
        } else say('250 ok');
      }
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
