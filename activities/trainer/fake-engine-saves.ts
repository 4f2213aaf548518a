import { z } from 'zod';
import { type Calls, type FakeApp, type FakeState, modelBody } from './fake-engine-calls.ts';
import { type FakeModel, Refusal } from './fake-engine-models.ts';
import type { SaveKind } from './fake-engine-store.ts';

const saveBody = modelBody.extend({ path: z.string().regex(/^[\w-]+$/) });

/** Checkpoints and snapshots: saving, loading, listing, removing. */
export function addSaves(app: FakeApp, state: FakeState, { call, guarded, later, promised }: Calls): void {
  const { models, faults, store } = state;

  for (const [name, kind] of [
    ['save_weights', 'training'],
    ['save_weights_for_sampler', 'sampler'],
  ] as const)
    call(name, saveBody, ({ model_id: id, path }) => save(name, kind, models.get(id), path));

  function save(name: string, kind: SaveKind, model: FakeModel, path: string): object {
    if (store.get(model.id, kind, path) !== undefined)
      throw new Refusal(409, `Checkpoint '${path}' already exists for model '${model.id}'`);
    store.put(model.id, kind, path, { status: 'pending' });
    model.touched = true;
    const requestId = later(name, model, async () => {
      await state.wait('save', 0);
      if (faults.take(name, ['disk-full'])) {
        store.put(model.id, kind, path, { status: 'failed' });
        throw new Error('[Errno 28] No space left on device');
      }
      store.put(model.id, kind, path, { status: 'complete', state: model.state });
      const where = kind === 'training' ? `weights/${path}` : path;
      return { kind: 'json', value: { path: `tinker://${model.id}/${where}`, type: name } };
    });
    return promised(requestId);
  }

  call('load_weights', modelBody.extend({ path: z.string() }), ({ model_id: id, path }) => {
    const model = models.get(id);
    if (model.touched)
      throw new Refusal(400, 'LoadWeights is only permitted as the first request of a model');
    model.touched = true;
    const requestId = later('load_weights', model, async () => {
      models.load(model, path);
      return { kind: 'json', value: { type: 'load_weights' } };
    });
    return promised(requestId);
  });

  app.get('/api/v1/training_runs/:id/checkpoints', (c) =>
    guarded(c, 'list_checkpoints', async () =>
      c.json({
        checkpoints: store
          .complete(c.req.param('id'))
          .map(({ kind, name }) => ({ checkpoint_id: name, checkpoint_type: kind })),
      }),
    ),
  );

  app.delete('/api/v1/training_runs/:id/checkpoints/:folder/:name', (c) =>
    guarded(c, 'delete_checkpoint', async () => {
      const { id, folder, name } = c.req.param();
      const kind: SaveKind = folder === 'weights' ? 'training' : 'sampler';
      const found = store.get(id, kind, name);
      if (found === undefined) throw new Refusal(404, `Checkpoint not found: ${id}/${name}`);
      if (found.status === 'pending') throw new Refusal(425, 'Checkpoint is still being created');
      store.remove(id, kind, name);
      return c.body(null, 204);
    }),
  );
}
