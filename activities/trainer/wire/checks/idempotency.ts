import { fetch } from 'undici';
import { WideseekError } from '../../../../domain/errors.ts';
import { encodePass } from '../messages.ts';
import { PROTOBUF } from '../protocol.ts';
import { largestDifference, plainAdam, ppo, supervised } from './bench.ts';
import { capability, type Check, passIf, short } from './types.ts';

const typeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof WideseekError ? error.type : String(error)),
  );

/** Calls that are made twice, checkpoints, and bodies that are wrong. */
export const idempotencyChecks: readonly Check[] = [
  {
    id: 'same-number-same-body',
    title: 'a sequence number used again does the work once',
    async run(bench) {
      const { engine, signal } = bench;
      const data = [bench.datum()];
      const [once, twice] = [await bench.model(), await bench.model()];
      for (const model of [once, twice]) {
        const [backward, step] = [model.next(), model.next()];
        for (let i = 0; i < (model === twice ? 2 : 1); i += 1)
          await engine.forwardBackward(model.handle, backward, supervised(data), signal);
        for (let i = 0; i < (model === twice ? 2 : 1); i += 1)
          await engine.optimStep(model.handle, step, plainAdam, signal);
      }
      const [a = []] = await once.forward(data);
      const [b = []] = await twice.forward(data);
      return passIf(
        largestDifference(a, b) === 0,
        `difference of log-probs ${short(largestDifference(a, b))}`,
      );
    },
  },
  {
    id: 'same-number-other-body',
    title: 'a sequence number used for something else is a conflict',
    async run(bench) {
      const { engine, signal } = bench;
      const model = await bench.model();
      const seq = model.next();
      await engine.forwardBackward(model.handle, seq, supervised([bench.datum()]), signal);
      const other = supervised([bench.datum({ variant: 1 })]);
      const body = await typeOf(engine.forwardBackward(model.handle, seq, other, signal));
      const kind = await typeOf(engine.optimStep(model.handle, seq, plainAdam, signal));
      return passIf(
        body === 'Conflict' && kind === 'Conflict',
        `another body: ${body}, another call: ${kind}`,
      );
    },
  },
  {
    id: 'save-twice',
    title: 'a checkpoint or snapshot that exists is taken as done',
    async run(bench) {
      const { engine, signal } = bench;
      const { handle } = await bench.model();
      const name = bench.name('twice');
      const saved = [
        await engine.saveWeights(handle, name, signal),
        await engine.saveWeights(handle, name, signal),
      ];
      const published = [
        await engine.publish(handle, name, signal),
        await engine.publish(handle, name, signal),
      ];
      return passIf(
        saved[0] === saved[1] && published[0] === published[1],
        [...saved, ...published].join(', '),
      );
    },
  },
  {
    id: 'restore',
    title: 'a checkpoint restores weights and optimiser state',
    async run(bench, measured) {
      const data = [bench.datum(), bench.datum({ variant: 3 })];
      const model = await bench.model();
      for (let i = 0; i < 2; i += 1) {
        await model.backward(supervised(data));
        await model.step(plainAdam);
      }
      const restore = await bench.engine.saveWeights(model.handle, bench.name('restore'), bench.signal);
      const copy = await bench.model(restore);
      for (const subject of [model, copy]) {
        await subject.backward(supervised(data));
        await subject.step(plainAdam);
      }
      const [a = []] = await model.forward(data);
      const [b = []] = await copy.forward(data);
      measured.restoreDifference = largestDifference(a, b);
      return passIf(
        measured.restoreDifference <= 1e-6,
        `after one more step: ${short(measured.restoreDifference)}`,
      );
    },
  },
  {
    id: 'lost-model',
    title: 'a model that was unloaded is NotFound',
    async run(bench) {
      const model = await bench.model();
      await bench.drop(model);
      const pass = await typeOf(model.backward(supervised([bench.datum()])));
      return passIf(pass === 'NotFound', `forward_backward: ${pass}`);
    },
  },
  {
    id: 'wrong-length',
    title: 'what the engine does with advantages that are too short',
    async run(bench, measured) {
      const model = await bench.model();
      const datum = bench.datum();
      const wrong = ppo([{ ...datum, advantages: datum.advantages.slice(0, 3) }]);
      const ours = await typeOf(model.backward(wrong));
      if (ours !== 'InvalidInput') return { status: 'fail', detail: `our client: ${ours}` };
      if (bench.url === undefined) return { status: 'unsupported', detail: 'no address to send it to' };
      const body = encodePass(model.handle.modelId, model.next(), wrong, false);
      const reply = await fetch(`${bench.url}/api/v1/forward_backward`, {
        method: 'POST',
        body,
        headers: { 'content-type': PROTOBUF },
      });
      await reply.arrayBuffer();
      measured.refusesWrongLength = !reply.ok;
      return capability(`the client refuses it; the engine itself answers ${reply.status}`);
    },
  },
];
