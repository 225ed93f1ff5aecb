import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { convertDate } from '../dates/convert-date.ts'
import { createDate } from '../dates/date-kind.ts'

/** `date(date, timezone)`: a date that can be compared, of a text, a number of seconds, or now. */
export const date: FunctionDefinition = {
  name: 'date',
  signature: signature('date = null, timezone = null'),
  call: ([value = null, timezone = null], render) =>
    createDate(convertDate(value, timezone, render)),
}
