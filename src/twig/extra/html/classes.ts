import { define, type FunctionDefinition } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { entriesOf, isCollection } from '../../values/collections.ts'
import { toBoolean, typeName } from '../../values/conversions.ts'
import { Markup } from '../../values/value.ts'

export const classFunctions = define<FunctionDefinition>({
  'html_classes(...args)': {
    description: "The class names that hold: html_classes('btn', {active: isActive}).",
    call(args, { budget }) {
      const classes = new Set<string>()
      for (const [index, argument] of args.entries()) {
        if (typeof argument === 'string') classes.add(argument)
        else if (argument instanceof Markup) classes.add(argument.text)
        else if (isCollection(argument)) {
          for (const [name, condition] of entriesOf(argument)) {
            budget.spend(1)
            if (typeof name !== 'string') {
              throw runtimeFault(
                `The "html_classes" function argument ${index} (key ${name}) should be a string, got "int".`,
              )
            }
            if (toBoolean(condition)) classes.add(name)
          }
        } else {
          throw runtimeFault(
            `The "html_classes" function argument ${index} should be either a string or an array, got "${typeName(argument)}".`,
          )
        }
      }
      classes.delete('')
      for (const name of classes) budget.allocateText(name.length)
      return [...classes].join(' ')
    },
  },
})
