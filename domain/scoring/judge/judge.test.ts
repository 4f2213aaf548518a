import { describe, expect, it } from 'vitest';
import { CHUNK, askAlignment, askVerdicts } from './ask.ts';
import { fakeJudge } from './fake.ts';
import { judgeMessages } from './prompts.ts';
import { parseBinary, parseFencedJson, parseReplyObject } from './reply.ts';
import { driveJudge, driveJudgeSync, replayJudge } from './request.ts';
import type { JudgeReply, JudgeRequest } from './request.ts';

const text = (value: unknown): JudgeReply => ({ kind: 'text', text: JSON.stringify(value) });

describe('parseReplyObject', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['thoughts ```\n{"a":0}\n``` better:\n```JSON\n{"a":1}\n```\n', { a: 1 }],
    ['<think>{"a":0}</think>\n{"a":1}', { a: 1 }],
    ['```json\n[{"a":1}]\n```', null],
    ['```json\n{"a":1,}\n```', null],
    ['The map is {"a":1}', null],
    ['```json\n{"a":1}', null],
    ['', null],
    [null, null],
  ])('%j gives %j', (reply, wanted) => {
    expect(parseReplyObject(reply)).toEqual(wanted);
  });

  it('is more lenient than the reference, which wants a json fence', () => {
    expect(parseFencedJson('{"a":1}')).toBeNull();
    expect(parseFencedJson('```json{"a":1}```')).toEqual({ a: 1 });
  });

  it('accepts nothing but 0 and 1', () => {
    expect([1, true, '1', 0, false, '0'].map(parseBinary)).toEqual([1, 1, 1, 0, 0, 0]);
    expect([0.5, 2, null, 'yes', undefined, [1]].map(parseBinary)).toEqual(Array(6).fill(null));
  });
});

describe('askAlignment', () => {
  const ask = (reply: unknown, vocabulary: string[], reference: string[]) =>
    driveJudgeSync(askAlignment('align:x', vocabulary, reference), () => text(reply)).result;

  it('ignores invented targets and unknown sources', () => {
    expect([...ask({ a: 'A', b: 'Z', c: 'A', d: 1 }, ['a', 'b', 'd'], ['A', 'D']).value]).toEqual([
      ['a', 'A'],
    ]);
  });

  it('keeps one source per target: the equal one, else the first', () => {
    expect([...ask({ x: 'T', y: 'T' }, ['x', 'y'], ['T']).value]).toEqual([['x', 'T']]);
    expect([...ask({ x: 'T', '**t**': 'T' }, ['x', '**t**'], ['T']).value]).toEqual([['**t**', 'T']]);
  });

  it('asks in chunks, in parallel, and again only where the reply is unreadable', () => {
    const vocabulary = Array.from({ length: CHUNK + 1 }, (_, index) => `e${index}`);
    const judge = (request: JudgeRequest): JudgeReply =>
      request.kind === 'align' && request.vocabulary.length === 1 && request.attempt < 2
        ? { kind: 'text', text: 'hm' }
        : text(
            request.kind === 'align'
              ? Object.fromEntries(request.vocabulary.map((entry) => [entry, entry]))
              : {},
          );
    const { result, judgements } = driveJudgeSync(askAlignment('align:x', vocabulary, vocabulary), judge);
    expect(result).toMatchObject({ incomplete: false, outage: null });
    expect(result.value.size).toBe(CHUNK + 1);
    expect(judgements.map(({ request }) => request.attempt)).toEqual([0, 0, 1, 2]);
  });

  it('goes on without a map when no reply is readable, and says so', () => {
    const asked = driveJudgeSync(askAlignment('align:x', ['a'], ['A']), () => ({ kind: 'text', text: null }));
    expect(asked.result).toEqual({ value: new Map(), incomplete: true, outage: null });
    expect(asked.judgements).toHaveLength(3);
  });

  it('does not repeat an outage, the transport has done that', () => {
    const asked = driveJudgeSync(askAlignment('align:x', ['a'], ['A']), () => ({
      kind: 'failed',
      reason: 'down',
    }));
    expect(asked.result).toMatchObject({ incomplete: true, outage: 'down' });
    expect(asked.judgements).toHaveLength(1);
  });
});

describe('askVerdicts', () => {
  it('makes no call for no pairs', () => {
    const asked = driveJudgeSync(askVerdicts('judge:x', 'c', []), () => text({}));
    expect(asked).toEqual({ result: { value: new Map(), incomplete: false, outage: null }, judgements: [] });
  });

  it('ignores extra indices', () => {
    const pairs = [{ index: 3, response: 'a', target: 'b' }];
    const asked = driveJudgeSync(askVerdicts('judge:x', 'c', pairs), () => text({ idx_3: '1', idx_4: 1 }));
    expect([...asked.result.value]).toEqual([[3, 1]]);
  });
});

describe('judgeMessages', () => {
  it('carry the whole question as JSON', () => {
    const align = judgeMessages({
      kind: 'align',
      scope: 'align:key:x',
      vocabulary: ['USA"'],
      reference: ['United States'],
      attempt: 0,
    });
    expect(align.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(align[1]?.content).toContain('["USA\\""]');
    const pairs = [{ index: 7, response: 'r', target: 't' }];
    const grade = judgeMessages({
      kind: 'judge',
      scope: 'judge:x',
      criterion: 'Same {thing}.',
      pairs,
      attempt: 0,
    });
    expect(grade[1]?.content).toContain('Same {thing}.');
    expect(grade[1]?.content).toContain('"idx_7"');
  });
});

describe('drivers', () => {
  const request: JudgeRequest = {
    kind: 'align',
    scope: 'align:x',
    vocabulary: ['a'],
    reference: ['a'],
    attempt: 0,
  };

  function* two() {
    const replies: JudgeReply[] = yield [request, { ...request, scope: 'align:y' }];
    return replies.map((reply) => (reply.kind === 'text' ? reply.text : reply.reason));
  }

  it('keep order and turn a throw into a failed reply', async () => {
    const { result } = await driveJudge(two(), async ({ scope }) => {
      if (scope === 'align:x') throw new Error('down');
      return { kind: 'text', text: scope };
    });
    expect(result).toEqual(['down', 'align:y']);
  });

  it('replay what is stored and ask the rest', async () => {
    const judge = replayJudge([{ request, reply: { kind: 'text', text: 'stored' } }], async () => ({
      kind: 'text',
      text: 'asked',
    }));
    expect((await driveJudge(two(), judge)).result).toEqual(['stored', 'asked']);
  });

  it('drive the stand-in judge', () => {
    const judge = fakeJudge({ aliases: { UK: 'United Kingdom' }, equal: [['x', 'y']] });
    const map = judge({ ...request, vocabulary: ['UK', '**a_b**', 'b', 'c'], reference: ['b', 'AB'] });
    expect(map.kind === 'text' && parseFencedJson(map.text)).toEqual({
      UK: 'United Kingdom',
      '**a_b**': 'AB',
      b: 'b',
    });
    const pairs = [
      { index: 0, response: ' A', target: 'a' },
      { index: 1, response: 'x', target: 'y' },
      { index: 2, response: 'y', target: 'x' },
    ];
    const grades = judge({ kind: 'judge', scope: 'judge:x', criterion: '', pairs, attempt: 0 });
    expect(grades.kind === 'text' && parseFencedJson(grades.text)).toEqual({ idx_0: 1, idx_1: 1, idx_2: 0 });
  });
});
