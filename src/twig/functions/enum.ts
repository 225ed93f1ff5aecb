import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { toText } from '../values/text.ts'
import { type ObjectKind, TwigObject, type Value } from '../values/value.ts'

interface EnumCase {
  readonly enumName: string
  readonly name: string
  readonly value: Value
  readonly cases: ReadonlyMap<string, Value>
}

/** A case of an enum that the engine was given: `case.name`, `case.value`, and the other cases by name. */
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

/** `enum(name)`: its cases by name, `enum('Status').Open`. */
export const enumFunction: FunctionDefinition = {
  name: 'enum',
  signature: signature('enum'),
  call([name = ''], { settings }) {
    const enumName = toText(name)
    const cases = settings.enums.get(enumName)
    if (cases === undefined) throw runtimeFault(`"${enumName}" is not an enum.`)
    const [first] = allCases(enumName, cases)
    if (first === undefined) throw runtimeFault(`"${enumName}" is an empty enum.`)
    return first
  },
}

/** `enum_cases(name)`: all cases of an enum. */
export const enumCases: FunctionDefinition = {
  name: 'enum_cases',
  signature: signature('enum'),
  call([name = ''], { settings }) {
    const enumName = toText(name)
    const cases = settings.enums.get(enumName)
    if (cases === undefined) throw runtimeFault(`Enum "${enumName}" does not exist.`)
    return allCases(enumName, cases)
  },
}
