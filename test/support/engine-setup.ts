import { ensureEnginePython, engineVenv } from '../../infra/local/engine-python.ts';
import { wideseekHome } from '../../infra/local/home.ts';

/**
 * Runs once before all test files: names the Python of the local training engine in `WIDESEEK_ENGINE_PYTHON`, so that
 * its tests run where an environment is there already. `WIDESEEK_TEST_ENGINE=install` makes one first, as `.ci/run`
 * asks; without Python or network those tests are skipped, and this says why.
 */
export default async function setup(): Promise<void> {
  const { env } = process;
  if (env.WIDESEEK_ENGINE_PYTHON) return;
  const home = wideseekHome(env);
  const venv = engineVenv(home);
  try {
    if (env.WIDESEEK_TEST_ENGINE === 'install')
      env.WIDESEEK_ENGINE_PYTHON = await ensureEnginePython({ home, env, onStatus: console.error });
    else if (venv.ready) env.WIDESEEK_ENGINE_PYTHON = venv.python;
  } catch (error) {
    console.error(`Tests of the local engine are skipped: ${(error as Error).message}`);
  }
}
