/** Whether a query parameter asks for something: `1`, `true`, `yes`, `on`. */
export function isAsked(value: unknown): boolean {
  return typeof value === 'string' && /^(1|true|yes|on)$/i.test(value)
}
