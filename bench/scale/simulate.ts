// A simulation of nodes that share one PostgreSQL, event by event: requests queue for their node's one core and for
// PostgreSQL's cores, and nodes know what they have read of a register until they are told that it has changed.
import { type Cost, type Inputs, type Kind, KINDS, type Load, type Machines, type Outcome } from './model.ts';
import { Random } from '../random.ts';

/** How often a node asks what has changed, in milliseconds: as in `stores/postgres/knowledge`. */
const ASKED_AGAIN_MS = 300;

/** Until queues are as long as they stay, in milliseconds. */
const WARM_UP_MS = 5000;

/** How long, and which run of it. */
export interface SimulationOptions {
  readonly inputs: Inputs;
  readonly load: Load;
  readonly machines: Machines;
  /** Of time that counts, after {@link WARM_UP_MS}. Before it, every client and node has every page as it is. */
  readonly seconds: number;
  readonly seed?: number;
}

/** Servers with one queue: who comes first is served first, by who is free first. */
export class Queue {
  readonly #freeAt: Float64Array;
  /** Of service, in milliseconds. */
  busyMs = 0;

  constructor(servers: number) {
    this.#freeAt = new Float64Array(servers);
  }

  /** Takes a customer who comes at `at`, not before the last one. @returns when it is done */
  serve(at: number, ms: number): number {
    let next = 0;
    for (let server = 1; server < this.#freeAt.length; server++) {
      if (this.#freeAt[server]! < this.#freeAt[next]!) next = server;
    }
    this.busyMs += ms;
    return (this.#freeAt[next] = Math.max(at, this.#freeAt[next]!) + ms);
  }
}

/** What is to happen, at times that come in order. */
class Agenda {
  readonly #heap: { readonly at: number; readonly act: (at: number) => void }[] = [];

  add(at: number, act: (at: number) => void): void {
    const heap = this.#heap;
    let place = heap.push({ at, act }) - 1;
    while (place > 0 && heap[(place - 1) >> 1]!.at > at) {
      heap[place] = heap[(place - 1) >> 1]!;
      place = (place - 1) >> 1;
    }
    heap[place] = { at, act };
  }

  /** Does what comes before `until`, in the order of time. */
  run(until: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.at < until; next = this.#heap[0]) {
      this.#take();
      next.act(next.at);
    }
  }

  #take(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (child >= heap.length || heap[child]!.at >= last.at) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}

/** One process that answers. */
interface Node {
  readonly queue: Queue;
  /** How many commits it was told of. */
  told: number;
  /** For each register, whether it has changed since it was read, the revision it had then, and that of the page in memory. */
  readonly hasChanged: Uint8Array;
  readonly revision: Int32Array;
  readonly page: Int32Array;
}

/** Lets the time pass, and says what came of it. Service times are exponential, with the measured ones as their means. */
export function simulate({ inputs, load, machines, seconds, seed = 1 }: SimulationOptions): Outcome {
  const random = new Random(seed);
  const { registers, clients, shares, requestsASecond, commitsASecond } = load;
  const agenda = new Agenda();
  const postgres = new Queue(machines.postgresCores);
  const nodes = Array.from({ length: machines.nodes }, (): Node => {
    const [revision, page] = [new Int32Array(registers), new Int32Array(registers)];
    return { queue: new Queue(1), told: 0, hasChanged: new Uint8Array(registers), revision, page };
  });
  const revisions = new Int32Array(registers);
  const tags = new Int32Array(registers * clients);
  /** The register of each commit. */
  const commits: number[] = [];
  let [requests, notModified, asking, transactions] = [0, 0, 0, 0];
  const times: number[] = [];
  const counts = (at: number): boolean => at >= WARM_UP_MS;
  const after = (at: number, meanMs: number): number => at - meanMs * Math.log(1 - random.next());
  const drawn = (meanMs: number): number => after(0, meanMs);

  const cumulative = cumulate(shares);
  const askedFor = (): Kind => {
    const part = random.next();
    return cumulative.find(([, upTo]) => part < upTo)?.[0] ?? 'repeat';
  };

  /** What the request is for its node: whether it has to look, and what a repeat turns out to be. */
  const costOf = (node: Node, asked: Kind): { readonly kind: Kind; readonly isLooking: boolean } => {
    if (asked === 'feeds') return { kind: asked, isLooking: false };
    const register = random.below(registers);
    const isLooking = node.hasChanged[register] === 1;
    if (isLooking) {
      node.hasChanged[register] = 0;
      node.revision[register] = revisions[register]!;
    }
    if (asked !== 'repeat') return { kind: asked, isLooking };
    const revision = node.revision[register]!;
    const client = register * clients + random.below(clients);
    if (tags[client] === revision) return { kind: 'repeat', isLooking };
    tags[client] = revision;
    const isInMemory = node.page[register] === revision;
    node.page[register] = revision;
    return { kind: isInMemory ? 'rendered' : 'page', isLooking };
  };

  const done = (arrivedAt: number, at: number): void => {
    if (counts(arrivedAt)) times.push(at - arrivedAt);
  };

  const arrive = (at: number): void => {
    agenda.add(after(at, 1000 / requestsASecond), arrive);
    const node = random.pick(nodes);
    const { kind, isLooking } = costOf(node, askedFor());
    const cost = isLooking ? sum(inputs.costs[kind], inputs.look) : inputs.costs[kind];
    if (counts(at)) {
      requests++;
      if (kind === 'repeat') notModified++;
      if (cost.transactions > 0) asking++;
      transactions += cost.transactions;
    }
    const nodeMs = drawn(cost.nodeMs);
    if (cost.transactions === 0) {
      done(at, node.queue.serve(at, nodeMs));
      return;
    }
    agenda.add(node.queue.serve(at, nodeMs / 2) + machines.networkMs, (asked) => {
      agenda.add(postgres.serve(asked, drawn(cost.postgresMs)) + machines.networkMs, (answered) => {
        done(at, node.queue.serve(answered, nodeMs / 2));
      });
    });
  };

  const commit = (at: number): void => {
    agenda.add(after(at, 1000 / commitsASecond), commit);
    if (counts(at)) transactions += inputs.commit.transactions;
    agenda.add(postgres.serve(at, drawn(inputs.commit.postgresMs)), () => {
      const register = random.below(registers);
      revisions[register] = revisions[register]! + 1;
      commits.push(register);
    });
  };

  for (const node of nodes) {
    const ask = (at: number): void => {
      agenda.add(at + ASKED_AGAIN_MS, ask);
      for (; node.told < commits.length; node.told++) node.hasChanged[commits[node.told]!] = 1;
    };
    agenda.add(random.next() * ASKED_AGAIN_MS, ask);
  }
  agenda.add(0, arrive);
  if (commitsASecond > 0) agenda.add(after(0, 1000 / commitsASecond), commit);

  agenda.run(WARM_UP_MS);
  const before = { nodes: busy(nodes), postgres: postgres.busyMs };
  agenda.run(WARM_UP_MS + seconds * 1000);
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor((times.length - 1) * part)]!;
  const { idle, questions } = inputs;
  return {
    nodeCores: (busy(nodes) - before.nodes) / (seconds * 1000) + idle.nodeCores * nodes.length,
    postgresCores:
      (postgres.busyMs - before.postgres) / (seconds * 1000) +
      (idle.postgresCores + questions.postgresCores) * nodes.length,
    transactionsASecond: transactions / seconds + (idle.transactions + questions.transactions) * nodes.length,
    notModified: notModified / requests,
    asking: asking / requests,
    medianMs: at(0.5),
    p99Ms: at(0.99),
  };
}

function busy(nodes: readonly Node[]): number {
  return nodes.reduce((all, { queue }) => all + queue.busyMs, 0);
}

function sum(a: Cost, b: Cost): Cost {
  return {
    nodeMs: a.nodeMs + b.nodeMs,
    postgresMs: a.postgresMs + b.postgresMs,
    transactions: a.transactions + b.transactions,
  };
}

/** Each kind with the parts up to and with its own. */
function cumulate(shares: Load['shares']): readonly (readonly [Kind, number])[] {
  let upTo = 0;
  return KINDS.filter((kind) => kind !== 'rendered').map((kind) => [kind, (upTo += shares[kind])] as const);
}

/** The fewest nodes of which none is busier than `utilisation`, and what comes of them. */
export function fewestNodes(
  options: Omit<SimulationOptions, 'machines'> & {
    readonly machines: Omit<Machines, 'nodes'>;
    readonly utilisation: number;
  },
): { readonly nodes: number; readonly outcome: Outcome } {
  // More nodes look more often, so that the answer is not that of one node divided.
  for (let nodes = 1; ;) {
    const outcome = simulate({ ...options, machines: { ...options.machines, nodes } });
    const wanted = Math.ceil(outcome.nodeCores / options.utilisation);
    if (wanted <= nodes) return { nodes, outcome };
    nodes = wanted;
  }
}
