/** One way to do the work of a benchmark. */
export interface Variant {
  readonly name: string;
  /** Does a round of work on this thread. @returns how many operations it was. */
  run(): Promise<number>;
}

export interface Comparison {
  readonly title: string;
  /** What one operation is. */
  readonly operation: string;
  /** The first is the baseline of the ratios. */
  readonly variants: readonly Variant[];
  readonly rounds?: number;
  /** The ratios to reach, by variant. */
  readonly reach?: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly name: string;
  /** Medians over the rounds, in microseconds an operation. */
  readonly cpuUs: number;
  readonly wallUs: number;
  /** CPU time against the baseline in the same round, median. */
  readonly ratio: number;
}

interface Sample {
  readonly cpuUs: number;
  readonly wallUs: number;
}

/**
 * Measures variants in turn, round by round, so that what else the machine does meets all of them.
 * CPU time is that of this thread alone: clients and databases belong into threads of their own.
 */
export async function compare(comparison: Comparison): Promise<readonly Measured[]> {
  const { title, operation, variants, rounds = 5, reach = {} } = comparison;
  const samples = new Map(variants.map(({ name }) => [name, [] as Sample[]]));
  for (let warmUp = 0; warmUp < 2; warmUp += 1) {
    for (const variant of variants) await measure(variant);
  }
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? variants : variants.toReversed();
    for (const variant of order) samples.get(variant.name)?.push(await measure(variant));
  }
  const baseline = samples.get(variants[0]?.name ?? '') ?? [];
  const measured = variants.map(({ name }) => {
    const own = samples.get(name) ?? [];
    return {
      name,
      cpuUs: median(own.map(({ cpuUs }) => cpuUs)),
      wallUs: median(own.map(({ wallUs }) => wallUs)),
      ratio: median(own.map(({ cpuUs }, at) => cpuUs / (baseline[at]?.cpuUs ?? Number.NaN))),
    };
  });
  print(`${title}, by ${operation}, median of ${rounds} rounds`);
  for (const { name, cpuUs, wallUs, ratio } of measured) {
    const wanted = reach[name];
    const verdict =
      wanted === undefined ? '' : `  ${ratio <= wanted ? 'reaches' : 'MISSES'} ${wanted} ×`;
    print(
      `  ${name.padEnd(34)}${cpuUs.toFixed(1).padStart(9)} µs CPU${wallUs.toFixed(1).padStart(10)} µs wall${ratio.toFixed(2).padStart(8)} ×${verdict}`,
    );
  }
  return measured;
}

async function measure({ run }: Variant): Promise<Sample> {
  (globalThis as { gc?: () => void }).gc?.();
  const before = process.threadCpuUsage();
  const startedAt = performance.now();
  const operations = await run();
  const wallUs = ((performance.now() - startedAt) * 1_000) / operations;
  const { user, system } = process.threadCpuUsage(before);
  return { cpuUs: (user + system) / operations, wallUs };
}

export const median = (values: readonly number[]): number => percentile(values, 50);

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);
