/** How `[name operator "wanted"]` compares (Selectors 4, section 6). */
export function compareAttribute(value: string, operator: string, wanted: string): boolean {
  switch (operator) {
    case '=':
      return value === wanted
    case '~=':
      return wanted !== '' && value.split(/\s+/).includes(wanted)
    case '|=':
      return value === wanted || value.startsWith(`${wanted}-`)
    case '^=':
      return wanted !== '' && value.startsWith(wanted)
    case '$=':
      return wanted !== '' && value.endsWith(wanted)
    default:
      return wanted !== '' && value.includes(wanted)
  }
}
