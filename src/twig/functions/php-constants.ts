import { jsonFlags } from '../php/json.ts'
import type { Value } from '../values/value.ts'

/** The constants of PHP that templates use in `constant()`. */
export const phpConstants: readonly (readonly [name: string, value: Value])[] = [
  ...Object.entries(jsonFlags),
  ['PHP_EOL', '\n'],
  ['PHP_INT_MAX', 2 ** 63 - 1024],
  ['PHP_INT_MIN', -(2 ** 63)],
  ['M_PI', Math.PI],
  ['M_E', Math.E],
  ['DATE_ATOM', 'Y-m-d\\TH:i:sP'],
  ['DATE_COOKIE', 'l, d-M-Y H:i:s T'],
  ['DATE_ISO8601', 'Y-m-d\\TH:i:sO'],
  ['DATE_RFC822', 'D, d M y H:i:s O'],
  ['DATE_RFC850', 'l, d-M-y H:i:s T'],
  ['DATE_RFC1036', 'D, d M y H:i:s O'],
  ['DATE_RFC1123', 'D, d M Y H:i:s O'],
  ['DATE_RFC2822', 'D, d M Y H:i:s O'],
  ['DATE_RFC3339', 'Y-m-d\\TH:i:sP'],
  ['DATE_RFC7231', 'D, d M Y H:i:s \\G\\M\\T'],
  ['DATE_RSS', 'D, d M Y H:i:s O'],
  ['DATE_W3C', 'Y-m-d\\TH:i:sP'],
]
