/**
 * The same function, which makes a thing once for each object that it is given, and keeps it for as long as that object
 * lives. For what is made of data that stays as it is: messages of a history that grows, tools that are sent with each call.
 */
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
