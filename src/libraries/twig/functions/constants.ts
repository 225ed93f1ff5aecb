import { define, type FunctionDefinition } from '../callables/definition.ts'
import { runtimeFault } from '../errors.ts'
import { jsonFlags } from '../php/json.ts'
import { toText, typeName } from '../values/conversions.ts'
import { type ObjectKind, TwigObject, type Value } from '../values/value.ts'

export const constantFunctions = define<FunctionDefinition>({
  'constant(constant, object = null, check_defined = false)': {
    description: 'The value of a constant.',
    call([name = '', object = null], { settings }) {
      const wanted = toText(name)
      if (object !== null && wanted === 'class') return typeName(object)
      const full = object === null ? wanted : `${typeName(object)}::${wanted}`
      const value = settings.constants.get(full)
      if (value !== undefined) return value
      throw runtimeFault(`Constant "${full}" is undefined.`)
    },
  },
  'enum(enum)': {
    description: "The cases of an enumeration: enum('Status').Open.",
    call([name = ''], { settings }) {
      const enumName = toText(name)
      const cases = settings.enums.get(enumName)
      if (cases === undefined) throw runtimeFault(`"${enumName}" is not an enum.`)
      const [first] = allCases(enumName, cases)
      if (first === undefined) throw runtimeFault(`"${enumName}" is an empty enum.`)
      return first
    },
  },
  'enum_cases(enum)': {
    description: 'The cases of an enumeration.',
    call([name = ''], { settings }) {
      const enumName = toText(name)
      const cases = settings.enums.get(enumName)
      if (cases === undefined) throw runtimeFault(`Enum "${enumName}" does not exist.`)
      return allCases(enumName, cases)
    },
  },
})

interface EnumCase {
  readonly enumName: string
  readonly name: string
  readonly value: Value
  readonly cases: ReadonlyMap<string, Value>
}

/** A case of an enum from the options: `case.name`, `case.value`, and the other cases by name. */
const caseKind: ObjectKind<EnumCase> = {
  className: 'UnitEnum',
  attribute(enumCase, name) {
    if (name === 'name') return enumCase.name
    if (name === 'value') return enumCase.value
    return createCase(enumCase.enumName, name, enumCase.cases)
  },
  call: (enumCase, method) =>
    method === 'cases' ? allCases(enumCase.enumName, enumCase.cases) : undefined,
}

function createCase(
  enumName: string,
  name: string,
  cases: ReadonlyMap<string, Value>,
): Value | undefined {
  const value = cases.get(name)
  if (value === undefined) return undefined
  return new TwigObject(caseKind, { enumName, name, value, cases })
}

function allCases(enumName: string, cases: ReadonlyMap<string, Value>): Value[] {
  return [...cases.keys()].map((name) => createCase(enumName, name, cases) ?? null)
}

/** PHP's constants that templates use with `constant()`. */
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
