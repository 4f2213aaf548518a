import { type Bench, largestDifference, plainAdam, type Subject, supervised } from './bench.ts';
import { capability, type Check, passIf, short } from './types.ts';

const SAME = 1e-4;
const PROMPT = Int32Array.of(3, 5, 8, 13, 21, 34);

async function train(model: Subject, bench: Bench): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    await model.backward(supervised([bench.datum()]));
    await model.step({ ...plainAdam, learningRate: 0.05 });
  }
}

/** Off-policy training needs older snapshots to keep their weights, and the training weights to keep theirs. */
export const versionChecks: readonly Check[] = [
  {
    id: 'published-weights',
    title: 'a snapshot has the weights of its moment',
    async run(bench, measured) {
      if (measured.promptLogprobs === false)
        return { status: 'unsupported', detail: 'the engine gives no log-probs of prompts' };
      const { engine, signal } = bench;
      const model = await bench.model();
      const v0 = await engine.publish(model.handle, bench.name('v'), signal);
      const before = await engine.promptLogprobs(PROMPT, v0, signal);
      await train(model, bench);
      const v1 = await engine.publish(model.handle, bench.name('v'), signal);
      const after = await engine.promptLogprobs(PROMPT, v1, signal);
      const moved = largestDifference(before, after);
      return passIf(moved > 0.01, `three steps moved the log-probs by ${short(moved)}`);
    },
  },
  {
    id: 'several-versions',
    title: 'older snapshots can be sampled while training goes on',
    async run(bench, measured) {
      if (measured.promptLogprobs === false)
        return { status: 'unsupported', detail: 'the engine gives no log-probs of prompts' };
      const { engine, signal } = bench;
      const model = await bench.model();
      const v0 = await engine.publish(model.handle, bench.name('old'), signal);
      const first = await engine.promptLogprobs(PROMPT, v0, signal);
      await train(model, bench);
      const v1 = await engine.publish(model.handle, bench.name('new'), signal);
      const [trained = []] = await model.forward([bench.datum()]);
      const second = await engine.promptLogprobs(PROMPT, v1, signal);
      const firstAgain = await engine.promptLogprobs(PROMPT, v0, signal);
      const [trainedAfter = []] = await model.forward([bench.datum()]);
      const secondAgain = await engine.promptLogprobs(PROMPT, v1, signal);
      await train(model, bench);
      const secondLater = await engine.promptLogprobs(PROMPT, v1, signal);
      const found = {
        'v0 after training': largestDifference(first, firstAgain),
        'training weights after sampling v0': largestDifference(trained, trainedAfter),
        'v1 after sampling v0': largestDifference(second, secondAgain),
        'v1 after more training': largestDifference(second, secondLater),
      };
      measured.severalVersions = Object.values(found).every((difference) => difference <= SAME);
      const words = Object.entries(found).map(([what, by]) => `${what} differs by ${short(by)}`);
      return capability(words.join('; '));
    },
  },
  {
    id: 'frozen-copies',
    title: 'a frozen copy of the model can be sampled while training goes on',
    async run(bench, measured) {
      if (measured.promptLogprobs === false)
        return { status: 'unsupported', detail: 'the engine gives no log-probs of prompts' };
      const { engine, signal } = bench;
      const model = await bench.model();
      const saved = await engine.saveWeights(model.handle, bench.name('copy'), signal);
      const copy = await bench.model(saved);
      const path = await engine.publish(copy.handle, bench.name('frozen'), signal);
      const first = await engine.promptLogprobs(PROMPT, path, signal);
      await train(model, bench);
      const [trained = []] = await model.forward([bench.datum()]);
      const again = await engine.promptLogprobs(PROMPT, path, signal);
      const [trainedAfter = []] = await model.forward([bench.datum()]);
      const [frozen, live] = [largestDifference(first, again), largestDifference(trained, trainedAfter)];
      measured.frozenCopies = frozen <= SAME && live <= SAME;
      return passIf(
        measured.frozenCopies,
        `the copy differs by ${short(frozen)} after training, the training weights by ${short(live)} after sampling it`,
      );
    },
  },
];
