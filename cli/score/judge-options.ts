import type { Command } from 'commander';
import { createJudgeModels } from '../../activities/judge/models.ts';
import type { ChatModel } from '../../activities/model/port.ts';
import { type JudgeConfig, judgeSchema } from '../../configs/judge-schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Io } from '../io.ts';
import { collect, parseSettings } from '../settings.ts';

export interface JudgeOptions {
  judgeUrl?: string;
  judgeModel?: string;
  judge: boolean;
  set: string[];
}

/** The options that name a judge. */
export const withJudgeOptions = (command: Command): Command =>
  command
    .option('--judge-url <url>', 'OpenAI-compatible endpoint of the judge; default: WIDESEEK_JUDGE_URL')
    .option('--judge-model <name>', 'its model; default: WIDESEEK_JUDGE_MODEL')
    .option('--no-judge', 'ask nobody, whatever the environment says')
    .option('--set <key=value>', 'a key of the judge, e.g. missing=unscored (repeatable)', collect, []);

/** The judge's configuration and client. Throws `InvalidInput` naming the option or key. */
export function judgeFrom(io: Io, options: JudgeOptions): { config: JudgeConfig; model: ChatModel | null } {
  const named = {
    ...(options.judgeUrl ? { provider: 'openai', baseUrls: [options.judgeUrl] } : {}),
    ...(options.judgeModel ? { model: options.judgeModel } : {}),
    ...parseSettings(options.set),
    ...(options.judge ? {} : { provider: 'none' }),
  };
  const parsed = judgeSchema.safeParse(named);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const key = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
    throw invalidInput(
      `judge.${key ?? ''}`,
      issue?.code === 'unrecognized_keys' ? 'unknown key' : (issue?.message ?? ''),
    );
  }
  return { config: parsed.data, model: createJudgeModels({ env: io.env })(parsed.data) };
}
