import type { ToolSchema } from '../../../domain/agents/messages.ts';

/** What the offered tools allow: which agent this is and how many requests fit into one call. */
export interface Stance {
  role: 'lead' | 'subagent' | 'single' | 'answer';
  width: number;
}

const DELEGATE = 'create_sub_agents';

/** Tells the role from the tools alone, as a model would. No tools: the answer is due now. */
export function stanceOf(tools: readonly ToolSchema[]): Stance {
  const delegate = tools.find((tool) => tool.name === DELEGATE);
  if (delegate) return { role: 'lead', width: widthOf(delegate, 'sub_agents', 10) };
  const search = tools.find((tool) => tool.name === 'search');
  if (!search) return { role: 'answer', width: 0 };
  if (property(search, 'queries')) return { role: 'subagent', width: widthOf(search, 'queries', 5) };
  return { role: 'single', width: 1 };
}

function property(tool: ToolSchema, name: string): Record<string, unknown> | null {
  const properties = tool.parameters['properties'];
  const value = isRecord(properties) ? properties[name] : undefined;
  return isRecord(value) ? value : null;
}

function widthOf(tool: ToolSchema, name: string, fallback: number): number {
  const max = property(tool, name)?.['maxItems'];
  if (typeof max === 'number' && max >= 1) return Math.floor(max);
  const told = /(?:at most|up to|no more than|最多)\s*(\d+)/i.exec(tool.description)?.[1];
  return told === undefined ? fallback : Math.max(1, Number(told));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
