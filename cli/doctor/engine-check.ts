import { engineVenv, ensureEnginePython, findPython } from '../../infra/local/engine-python.ts';
import { runningEngine } from '../../infra/local/engine-state.ts';
import { wideseekHome } from '../../infra/local/home.ts';
import { type Check, examine } from './check.ts';

/** The local training engine. Questions need none, so what is missing is something to know and no failure. */
export const checkEngine: Check = (io) =>
  examine('training engine', async () => {
    const home = wideseekHome(io.env);
    if (io.env.WIDESEEK_ENGINE_URL) {
      const { origin } = new URL(io.env.WIDESEEK_ENGINE_URL);
      const reply = await fetch(`${origin}/api/v1/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => null,
      );
      return reply?.ok
        ? { state: 'ok', detail: `${origin} answers` }
        : {
            state: 'warn',
            detail: `${origin} does not answer`,
            hint: 'Training needs it; correct WIDESEEK_ENGINE_URL',
          };
    }
    const running = runningEngine(home);
    if (running) return { state: 'ok', detail: `runs at ${running.url}` };
    try {
      if (io.env.WIDESEEK_ENGINE_PYTHON)
        return { state: 'ok', detail: `starts with ${await ensureEnginePython({ home, env: io.env })}` };
      const venv = engineVenv(home);
      if (venv.ready) return { state: 'ok', detail: `installed in ${venv.dir}` };
      const python = await findPython(io.env);
      return {
        state: 'ok',
        detail: `not installed; the first \`wideseek train\` installs it with ${python}`,
      };
    } catch (error) {
      return { state: 'warn', detail: error instanceof Error ? error.message : String(error) };
    }
  });
