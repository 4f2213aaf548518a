import { describe, expect, it } from 'vitest';
import { checkVersions, ENGINES, planLoss } from './engine.ts';
import type { EngineCapabilities } from './engine.ts';
import { WIDESEEK_LOSS } from './loss.ts';
import type { LossConfig } from './loss.ts';
import { PRESETS } from './presets.ts';

const local: EngineCapabilities = { ...ENGINES['local-jax'], dualClip: false };
const noDualClip: LossConfig = { ...WIDESEEK_LOSS, clip: { ...WIDESEEK_LOSS.clip, dualClip: null } };
const withKl: LossConfig = { ...noDualClip, kl: { kind: 'k3', beta: 0.01 } };
const decoupled = PRESETS['asearcher-simple'].loss;

describe('planLoss', () => {
  it('states the clip as bounds of the ratio and needs no forward pass for plain PPO', () => {
    const plan = planLoss(noDualClip, local, 4);
    expect(plan).toEqual({
      lossFn: 'ppo',
      lossFnConfig: { clip_low_threshold: 0.8, clip_high_threshold: 1.28 },
      oldLogprobs: 'behaviour',
      needsProximal: false,
      needsReference: false,
      folded: [],
    });
  });

  it('folds the dual clip unless the engine has it', () => {
    expect(planLoss(WIDESEEK_LOSS, local, 1)).toMatchObject({
      oldLogprobs: 'behaviour',
      needsProximal: true,
      folded: ['dual_clip'],
    });
    const able: EngineCapabilities = { ...local, dualClip: true };
    expect(planLoss(WIDESEEK_LOSS, able, 1)).toMatchObject({
      lossFnConfig: { dual_clip: 10 },
      needsProximal: false,
      folded: [],
    });
  });

  it('takes the ratio against the proximal policy for the decoupled loss', () => {
    const plan = planLoss({ ...decoupled, age: { maxTokenAge: 4, decay: 1 } }, local, 2);
    expect(plan).toMatchObject({
      oldLogprobs: 'proximal',
      needsProximal: true,
      folded: ['decoupled', 'age'],
    });
  });

  it('asks for reference log-probs where there is a KL term', () => {
    expect(planLoss(withKl, local, 1)).toMatchObject({
      needsReference: true,
      oldLogprobs: 'proximal',
      folded: ['kl'],
    });
  });

  it('refuses what an engine cannot carry out', () => {
    const unclipped: EngineCapabilities = { ...local, clip: false };
    expect(planLoss(noDualClip, unclipped, 1)).toMatchObject({
      lossFn: 'importance_sampling',
      folded: ['clip'],
    });
    expect(() => planLoss(noDualClip, unclipped, 2)).toThrow(/does not clip/);
    expect(() => planLoss(decoupled, { ...local, forward: false }, 1)).toThrow(/no forward pass/);
    expect(() => planLoss(withKl, local, 2)).toThrow(/one optimiser step/);
    expect(planLoss({ ...withKl, decoupled: decoupled.decoupled }, local, 2).folded).toEqual([
      'decoupled',
      'kl',
    ]);
  });

  it('refuses on an engine that samples one version at a time what would need two', () => {
    const jax = ENGINES['skyrl-jax'];
    const alternating = { maxStaleness: 0, batchMinutes: null, kl: null, init: undefined };
    const { kl } = withKl;
    for (const fine of [{}, { kl }, { init: 'tinker://m/weights/c' }])
      expect(() => checkVersions(jax, { ...alternating, ...fine })).not.toThrow();
    const overlapping = {
      ...alternating,
      maxStaleness: 4,
      batchMinutes: 1,
      kl,
      init: 'tinker://m/weights/c',
    };
    expect(() => checkVersions(local, overlapping)).not.toThrow();
    expect(() => checkVersions(jax, overlapping)).toThrow(/^maxStaleness/);
    expect(() => checkVersions(jax, { ...overlapping, maxStaleness: 0 })).toThrow(/^batchMinutes/);
    expect(() => checkVersions(jax, { ...alternating, kl, init: 'tinker://m/weights/c' })).toThrow(
      /^algorithm\.kl/,
    );
  });

  it('knows each engine under its own name', () => {
    for (const [name, engine] of Object.entries(ENGINES)) expect(engine.name).toBe(name);
    expect(ENGINES['skyrl-jax'].reduction).toBe('mean-of-means');
    expect([ENGINES['skyrl-fsdp'].reduction, ENGINES.tinker.reduction, local.reduction]).toEqual([
      'sum',
      'sum',
      'sum',
    ]);
  });
});
