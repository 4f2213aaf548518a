import {
  effect,
  findRate,
  gradientStep,
  largestDifference,
  plainAdam,
  ppo,
  supervised,
  withOld,
} from './bench.ts';
import { capability, type Check, passIf, short } from './types.ts';

const near = (value: number, expected: number, share: number): boolean =>
  Math.abs(value - expected) <= share * Math.abs(expected);

/** Losses and gradients that every engine must have. */
export const numericsChecks: readonly Check[] = [
  {
    id: 'loss-falls',
    title: 'cross_entropy falls on a repeated batch',
    async run(bench) {
      const model = await bench.model();
      const call = supervised([bench.datum(), bench.datum({ variant: 1 })]);
      const losses: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        losses.push((await model.backward(call)).loss);
        await model.step(plainAdam);
      }
      const [first = NaN, last = NaN] = [losses[0], losses.at(-1)];
      return passIf(last < first * 0.98, `loss ${short(first)} → ${short(last)} in 5 steps`);
    },
  },
  {
    id: 'forward',
    title: 'forward returns the log-probs that forward_backward returns, and changes nothing',
    async run(bench, measured) {
      const model = await bench.model();
      const data = [bench.datum(), bench.datum({ variant: 2 })];
      const [first] = await model.forward(data);
      const { logprobs } = await model.backward(supervised(data));
      const difference = largestDifference(first ?? [], logprobs[0] ?? []);
      measured.forward = difference < 1e-4;
      return passIf(measured.forward, `largest difference ${short(difference)}`);
    },
  },
  {
    id: 'adam',
    title: 'which settings of the optimiser are obeyed',
    async run(bench, measured) {
      const datum = bench.datum();
      const call = supervised([datum]);
      // With a huge eps nothing may move; an engine that ignores it takes a full step of this learning rate.
      const still = await effect(bench, [call], datum, 0, { ...plainAdam, eps: 1e6 });
      const moved = await effect(bench, [call], datum, 0, plainAdam);
      measured.adam = Math.abs(still) < 0.01 * Math.abs(moved) ? 'all' : 'learning-rate';
      return capability(`eps 1e6 moves log-probs by ${short(still)}, eps 1e-8 by ${short(moved)}`);
    },
  },
  {
    id: 'ppo-gradient',
    title: 'ppo at ratio 1 has gradient −A',
    async run(bench, measured) {
      if (measured.adam !== 'all') return unsupported;
      const datum = bench.datum();
      const rate = await findRate(bench, supervised([datum]), datum);
      const reference = await effect(bench, [supervised([datum])], datum, rate);
      const model = await bench.model();
      const [old = new Float32Array()] = await model.forward([datum]);
      await bench.drop(model);
      const at = (advantage: number) => [ppo([withOld(bench.datum({ advantage }), old)])];
      const up = await effect(bench, at(1), datum, rate);
      const down = await effect(bench, at(-1), datum, rate);
      return passIf(
        near(up, reference, 0.05) && near(down, -reference, 0.25),
        `cross_entropy ${short(reference)}, ppo with A=1 ${short(up)}, with A=−1 ${short(down)}`,
      );
    },
  },
  {
    id: 'clip',
    title: 'ppo clips ratios at the bounds that were sent',
    async run(bench, measured) {
      if (measured.adam !== 'all') return unsupported;
      const datum = bench.datum();
      const rate = await findRate(bench, supervised([datum]), datum);
      const model = await bench.model();
      const [current = new Float32Array()] = await model.forward([datum]);
      await bench.drop(model);
      const atRatio = (ratio: number, advantage = 1) =>
        effect(
          bench,
          [
            ppo([
              withOld(
                bench.datum({ advantage }),
                current.map((value) => value - Math.log(ratio)),
              ),
            ]),
          ],
          datum,
          rate,
        );
      const inside = await atRatio(1.25);
      const outside = await atRatio(1.35);
      const below = await atRatio(0.75, -1);
      measured.clip =
        Math.abs(outside) < 0.02 * Math.abs(inside) && Math.abs(below) < 0.02 * Math.abs(inside);
      return capability(
        `bounds 0.8 and 1.28: ratio 1.25 moves ${short(inside)}, 1.35 moves ${short(outside)}, ` +
          `0.75 with A=−1 moves ${short(below)}`,
      );
    },
  },
  {
    id: 'dual-clip',
    title: 'ppo holds the loss of bad tokens with huge ratios (dual clip)',
    async run(bench, measured) {
      if (measured.adam !== 'all') return unsupported;
      const datum = bench.datum({ advantage: -1 });
      const rate = await findRate(bench, supervised([datum]), datum);
      const model = await bench.model();
      const [current = new Float32Array()] = await model.forward([datum]);
      await bench.drop(model);
      const old = current.map((value) => value - Math.log(4));
      const free = await effect(bench, [ppo([withOld(datum, old)])], datum, rate / 4);
      const call = ppo([withOld(datum, old)], { dual_clip: 3 });
      try {
        const held = await effect(bench, [call], datum, rate / 4);
        measured.dualClip = Math.abs(held) < 0.02 * Math.abs(free);
        return capability(`ratio 4 with c=3 moves ${short(held)}, without it ${short(free)}`);
      } catch (error) {
        measured.dualClip = false;
        return capability(`refused: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`);
      }
    },
  },
  {
    id: 'gradient-norm-clip',
    title: 'the gradient is clipped to the norm that was sent',
    async run(bench, measured) {
      if (measured.adam !== 'all') return unsupported;
      const datum = bench.datum();
      const call = supervised([datum]);
      const rate = await findRate(bench, call, datum);
      const free = await effect(bench, [call], datum, rate);
      const clipped = await effect(bench, [call], datum, rate, { ...gradientStep(rate), gradClipNorm: 1e-6 });
      measured.gradientNormClip = Math.abs(clipped) < 0.1 * Math.abs(free);
      const sent = bench.engine.capabilities.gradientNormClip ? '' : ' (not declared, so it was not sent)';
      return capability(`norm 1e-6 moves ${short(clipped)}, no norm ${short(free)}${sent}`);
    },
  },
];

const unsupported = {
  status: 'unsupported' as const,
  detail: 'the optimiser hides the scale of gradients: its eps cannot be set',
};
