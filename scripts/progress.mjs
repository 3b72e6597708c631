// One line per step on stderr, so that stdout stays free for what a command answers.

const QUIET_MS = 2000;
const TICK_MS = 1000;
/** Where lines cannot be rewritten a dot is enough, and fewer of them keep a log readable. */
const DOT_MS = 5000;

/**
 * Says what is being done, shows that it is still going on when it takes over two seconds, and how
 * long it took in the end.
 *
 * @template T
 * @param {string} title - what is being done, without a full stop.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function showStep(title, work) {
  const terminal = process.stderr.isTTY === true;
  const startedAt = Date.now();
  const seconds = (digits) => `${((Date.now() - startedAt) / 1000).toFixed(digits)} s`;
  process.stderr.write(`${title} …`);
  const timer = setInterval(
    () => {
      if (Date.now() - startedAt < QUIET_MS) return;
      process.stderr.write(terminal ? `\r${title} … ${seconds(0)}` : '.');
    },
    terminal ? TICK_MS : DOT_MS,
  );
  try {
    const result = await work();
    process.stderr.write(`${terminal ? `\r${title} …` : ''} done in ${seconds(1)}\n`);
    return result;
  } catch (error) {
    process.stderr.write(`${terminal ? `\r${title} …` : ''} failed after ${seconds(1)}\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
