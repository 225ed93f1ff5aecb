import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { toText } from '../values/text.ts'
import { typeName } from '../values/type-name.ts'

/** `constant(name)`: a constant that the engine was given, or one of the few of PHP that templates use. */
export const constant: FunctionDefinition = {
  name: 'constant',
  signature: signature('constant, object = null, check_defined = false'),
  call([name = '', object = null], { settings }) {
    const wanted = toText(name)
    if (object !== null && wanted === 'class') return typeName(object)
    const full = object === null ? wanted : `${typeName(object)}::${wanted}`
    const value = settings.constants.get(full)
    if (value !== undefined) return value
    throw runtimeFault(`Constant "${full}" is undefined.`)
  },
}
