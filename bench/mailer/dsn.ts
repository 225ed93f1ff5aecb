// Parsing and masking 10,000 DSNs, compared with WHATWG's URL on the same texts: `node bench/mailer/dsn.ts`.
import { maskDsn, parseDsn } from '../../src/mailer/index.ts'

const count = 10_000
const rounds = 7

/** Milliseconds for 10,000 texts, the median of the rounds. */
export interface DsnResult {
  readonly parseMs: number
  readonly maskMs: number
  readonly urlMs: number
}

/** Runs the benchmark. */
export function runDsnBench(): DsnResult {
  const texts = Array.from(
    { length: count },
    (_, index) =>
      `smtp://user${index}%40example.com:p%40ss%2Fw${index}@mail${index % 50}.example.com:587?require_tls=1&local_domain=mta.example.com`,
  )
  return {
    parseMs: measure(() => texts.forEach((text) => void parseDsn(text))),
    maskMs: measure(() => texts.forEach((text) => void maskDsn(text))),
    urlMs: measure(() => texts.forEach((text) => void new URL(text))),
  }
}

function measure(run: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now()
    run()
    return performance.now() - startedAt
  })
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
}

if (import.meta.main) {
  const { parseMs, maskMs, urlMs } = runDsnBench()
  process.stdout.write(
    `${count} DSNs: parsed in ${parseMs.toFixed(1)} ms, masked in ${maskMs.toFixed(1)} ms; ` +
      `new URL() alone takes ${urlMs.toFixed(1)} ms; parse and mask : URL = ${((parseMs + maskMs) / urlMs).toFixed(2)}\n`,
  )
}
