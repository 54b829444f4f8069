import type { compile } from '@jmespath-community/jmespath';
import type { WorkBudget } from '../../work-budget.ts';
import { isObject, type PlainObject } from '../plain-object.ts';
import { callFunction } from './functions.ts';
import { elementBytes, memberBytes, ownMember, setMember, sliceOf } from './values.ts';

/** The tree that the library's parser returns for an expression. */
export type Expression = ReturnType<typeof compile>;

type NodeOf<Type extends Expression['type']> = Extract<Expression, { readonly type: Type }>;

/** Variables of `let`, innermost first. */
interface Scope {
  readonly variables: ReadonlyMap<string, unknown>;
  readonly outer: Scope | null;
}

/**
 * Evaluates a JMESPath expression. The library's own interpreter has no limits: 47 characters are enough to
 * crash the process. Here each visited node, each produced element and each produced byte is charged to the
 * budget, which ends the evaluation. Results match the library's (a property test compares them), with three
 * exceptions: names that every JavaScript object inherits are not fields, data that looks like a parsed
 * expression is data, and `&expression` sees the variables of `let`.
 */
export function evaluate(expression: Expression, value: unknown, budget: WorkBudget): unknown {
  return new Evaluation(value, budget).visit(expression, value, null);
}

/** An expression passed to a function, `&name`, with the variables in its scope. */
class Reference {
  // Private, so that the result of an expression that returns one is an empty object. Data can't imitate the class.
  readonly #expression: Expression;
  readonly #scope: Scope | null;

  constructor(expression: Expression, scope: Scope | null) {
    this.#expression = expression;
    this.#scope = scope;
  }

  apply(evaluation: Evaluation, value: unknown): unknown {
    return evaluation.visit(this.#expression, value, this.#scope);
  }
}

/** The state of one evaluation, as functions see it. */
class Evaluation {
  readonly budget: WorkBudget;
  readonly #root: unknown;

  constructor(root: unknown, budget: WorkBudget) {
    this.#root = root;
    this.budget = budget;
  }

  isReference(value: object): boolean {
    return value instanceof Reference;
  }

  /** Applies `&name` to a value. */
  apply(reference: object, value: unknown): unknown {
    if (!(reference instanceof Reference)) throw new TypeError('Only an expression can be applied.');
    return reference.apply(this, value);
  }

  /** JMESPath's false values: null, false, and empty strings, lists and objects. */
  #isFalse(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return value === null || value === false || value === '';
    if (Array.isArray(value)) return value.length === 0;
    const members = Object.keys(value).length;
    this.budget.spend(members / 8);
    return members === 0;
  }

  // Recursion is as deep as the expression, which `readSelect` limits.
  visit(node: Expression, value: unknown, scope: Scope | null): unknown {
    this.budget.spend(1);
    switch (node.type) {
      case 'Current':
      case 'Identity':
        return value;
      case 'Root':
        return this.#root;
      case 'Literal':
        return node.value;
      case 'Field':
        return isObject(value) ? (ownMember(value, node.name) ?? null) : null;
      case 'Index':
        return Array.isArray(value) ? itemAt(value, node.value) : null;
      case 'Slice':
        return sliceOf(value, node, this.budget);
      case 'Subexpression': {
        const left = this.visit(node.left, value, scope);
        return left === null ? null : this.visit(node.right, left, scope);
      }
      case 'IndexExpression':
      case 'Pipe':
        return this.visit(node.right, this.visit(node.left, value, scope), scope);
      case 'Flatten':
        return this.#flatten(this.visit(node.child, value, scope));
      case 'Projection':
        return this.#projection(node.left, node.right, value, scope);
      case 'ValueProjection': {
        const base = this.visit(node.left, value, scope);
        return isObject(base) ? this.#each(this.#values(base), node.right, scope) : null;
      }
      case 'FilterProjection': {
        const base = this.visit(node.left, value, scope);
        return Array.isArray(base) ? this.#each(base, node.right, scope, node.condition) : null;
      }
      case 'MultiSelectList':
        this.budget.spend(0, elementBytes * node.children.length);
        return node.children.map((child) => this.visit(child, value, scope));
      case 'MultiSelectHash': {
        this.budget.spend(0, memberBytes * (1 + node.children.length));
        const made = {};
        for (const child of node.children) setMember(made, child.name, this.visit(child.value, value, scope));
        return made;
      }
      case 'OrExpression': {
        const left = this.visit(node.left, value, scope);
        return this.#isFalse(left) ? this.visit(node.right, value, scope) : left;
      }
      case 'AndExpression': {
        const left = this.visit(node.left, value, scope);
        return this.#isFalse(left) ? left : this.visit(node.right, value, scope);
      }
      case 'NotExpression':
        return this.#isFalse(this.visit(node.child, value, scope));
      case 'Ternary': {
        const holds = !this.#isFalse(this.visit(node.condition, value, scope));
        return this.visit(holds ? node.trueExpr : node.falseExpr, value, scope);
      }
      case 'Comparator':
        return this.#compare(node, value, scope);
      case 'Arithmetic':
        return arithmetic(node, this.visit(node.left, value, scope), this.visit(node.right, value, scope));
      case 'Unary': {
        const operand = numberFrom(this.visit(node.operand, value, scope));
        return node.operator === 'Minus' ? -operand : operand;
      }
      case 'Function':
        return callFunction(
          node.name,
          node.children.map((child) => this.visit(child, value, scope)),
          this,
        );
      case 'ExpressionReference':
        return new Reference(node.child, scope);
      case 'LetExpression':
        return this.#let(node, value, scope);
      case 'Variable': {
        for (let inner = scope; inner !== null; inner = inner.outer)
          if (inner.variables.has(node.name)) return inner.variables.get(node.name);
        throw new Error(`Error referencing undefined variable ${node.name}`);
      }
      case 'Binding': {
        const made = {};
        setMember(made, node.variable, this.visit(node.reference, value, scope));
        return made;
      }
    }
  }

  #values(value: PlainObject): readonly unknown[] {
    const values = Object.values(value);
    this.budget.spend(values.length, elementBytes * values.length);
    return values;
  }

  #each(
    items: readonly unknown[],
    right: Expression,
    scope: Scope | null,
    condition: Expression | null = null,
  ): unknown[] {
    const made: unknown[] = [];
    for (const item of items) {
      if (condition !== null && this.#isFalse(this.visit(condition, item, scope))) continue;
      const picked = this.visit(right, item, scope);
      if (picked === null) continue;
      this.budget.spend(0, elementBytes);
      made.push(picked);
    }
    return made;
  }

  #projection(left: Expression, right: Expression, value: unknown, scope: Scope | null): unknown {
    const base = this.visit(left, value, scope);
    // A slice of a string is a string.
    if (typeof base === 'string' && left.type === 'IndexExpression' && left.right.type === 'Slice')
      return this.visit(right, base, scope);
    return Array.isArray(base) ? this.#each(base, right, scope) : null;
  }

  #flatten(value: unknown): unknown {
    if (!Array.isArray(value)) return null;
    // The items may be the same long list many times over, so it is charged before it is built.
    let count = 0;
    for (const item of value as unknown[]) count += Array.isArray(item) ? item.length : 1;
    this.budget.spend(value.length + count, elementBytes * count);
    return value.flat();
  }

  #let({ bindings, expression }: NodeOf<'LetExpression'>, value: unknown, outer: Scope | null): unknown {
    const variables = new Map<string, unknown>();
    for (const { type, variable, reference } of bindings) {
      if (type !== 'Binding') throw new Error('let takes variables: let $name = expression in expression');
      variables.set(variable, this.visit(reference, value, outer));
    }
    return this.visit(expression, value, { variables, outer });
  }

  #compare({ name, left, right }: NodeOf<'Comparator'>, value: unknown, scope: Scope | null): unknown {
    const [first, second] = [this.visit(left, value, scope), this.visit(right, value, scope)];
    if (name === 'EQ') return this.#areEqual(first, second);
    if (name === 'NE') return !this.#areEqual(first, second);
    if (typeof first !== 'number' || typeof second !== 'number') return null;
    switch (name) {
      case 'GT':
        return first > second;
      case 'GTE':
        return first >= second;
      case 'LT':
        return first < second;
      case 'LTE':
        return first <= second;
    }
  }

  #areEqual(first: unknown, second: unknown): boolean {
    const open: [unknown, unknown][] = [[first, second]];
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      const [a, b] = pair;
      this.budget.spend(typeof a === 'string' ? 1 + a.length / 64 : 1, elementBytes);
      if (a === b) continue;
      if (Array.isArray(a) && Array.isArray(b)) {
        if (a.length !== b.length) return false;
        this.budget.spend(a.length, elementBytes * a.length);
        for (let at = a.length - 1; at >= 0; at--) open.push([a[at], b[at]]);
      } else if (isObject(a) && isObject(b)) {
        const keys = Object.keys(a);
        this.budget.spend(keys.length, elementBytes * keys.length);
        if (keys.length !== Object.keys(b).length) return false;
        for (const key of keys) {
          if (!Object.hasOwn(b, key)) return false;
          open.push([a[key], b[key]]);
        }
      } else return false;
    }
    return true;
  }
}

function itemAt(items: readonly unknown[], index: number): unknown {
  return items[index < 0 ? items.length + index : index] ?? null;
}

function numberFrom(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new Error(value === null ? 'not-a-number: undefined' : 'not-a-number');
}

function arithmetic({ operator }: NodeOf<'Arithmetic'>, first: unknown, second: unknown): number {
  const [left, right] = [numberFrom(first), numberFrom(second)];
  switch (operator) {
    case 'Plus':
      return left + right;
    case 'Minus':
      return left - right;
    case 'Modulo':
      return left % right;
    case 'Divide':
      return left / divisor(right);
    case 'Div':
      return Math.floor(left / divisor(right));
    default:
      return left * right;
  }
}

function divisor(value: number): number {
  // Also true for NaN.
  if (!value) throw new Error('not-a-number: divide by zero');
  return value;
}
