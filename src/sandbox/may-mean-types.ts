/**
 * Whether a text that is JavaScript may be meant as TypeScript: `f<T>(x)` is a call there, and here two comparisons. The
 * stretch between the brackets ends at the next bracket, so that every character is looked at once.
 */
export function mayMeanTypes(source: string): boolean {
  return /[\w$]<[^<>()=;]*>+\s{0,20}\(/.test(source);
}
