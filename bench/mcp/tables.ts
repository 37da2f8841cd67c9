// The comparisons of agents' endpoints: one call of a tool, in the words of each era.
import type { Goal } from '../harness.ts';

/** Who answers: the service, or a server made with what the protocol's makers publish. */
export type McpServer = 'gazette' | 'official SDK, v1' | 'official packages, v2';

/** One comparison. */
export interface McpTable {
  readonly id: string;
  readonly title: string;
  readonly era: 'legacy' | 'modern';
  readonly rivals: readonly Exclude<McpServer, 'gazette'>[];
  readonly goals: readonly Goal[];
}

function table(era: McpTable['era'], title: string, rivals: McpTable['rivals']): McpTable {
  const goals = rivals.map((rival) => ({ label: `>= 3 × ${rival}`, atLeast: 3, against: [rival] }));
  return { id: `mcp-${era}`, title: `MCP, tools/call of read_register, ${title}`, era, rivals, goals };
}

/** All comparisons. */
export const MCP_TABLES: readonly McpTable[] = [
  table('legacy', 'as the specification asks it', ['official SDK, v1', 'official packages, v2']),
  // Version 1 of the SDK does not know it.
  table('modern', '2026-07-28', ['official packages, v2']),
];
