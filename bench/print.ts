/** Prints one line of a result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Converts bytes to whole megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`
}
