#!/usr/bin/env python3
"""Writes the shop, the tasks and the recorded replies of this example.

    python3 make.py shop           writes shop.db and cases.jsonl
    python3 make.py reply NAME     answers one question, as the model NAME does (the `command` provider of probare)
    python3 make.py all            all of it, with a run of record.yaml and its recorded replies

The models are made up: `clerk` serves customers and errs now and then, in another way in each repeat, and `shopper` plays the
customer. So nothing here says anything about a model that exists.
"""

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys

PRODUCTS = [(1, "kettle", 39.9), (2, "teapot", 24.5), (3, "cup", 6.0), (4, "tray", 18.0), (5, "spoon", 2.5), (6, "lamp", 49.0)]
NAMES = "Ada Ben Cleo Dan Eva Finn Gina Hugo Ida Jan Kim Lea Max Nora Otto Pia Quinn Rosa Sven Tilda".split()
STREETS = "Mill Lane, Park Road, High Street, River Walk, Church Hill, Station Road, Green Lane, Bridge Street".split(", ")

# What each customer wants, and how the order stands.
WISHES = (
    [("cancel", "pending")] * 5
    + [("cancel", "shipped")] * 3
    + [("address", "pending")] * 4
    + [("address", "shipped")] * 2
    + [("return", "delivered")] * 4
    + [("return", "shipped")] * 2
)


def tasks():
    for number, (wish, status) in enumerate(WISHES):
        name, order = NAMES[number], 1001 + number
        product = PRODUCTS[number % len(PRODUCTS)]
        yield number, name, f"{name.lower()}@example.org", order, wish, status, product, f"{number + 3} {STREETS[number % len(STREETS)]}"


def write_shop():
    if os.path.exists("shop.db"):
        os.remove("shop.db")
    database = sqlite3.connect("shop.db")
    database.executescript("""
        CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT);
        CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, price REAL);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, address TEXT);
        CREATE TABLE items (order_id INTEGER, product_id INTEGER, quantity INTEGER, price REAL);
        CREATE TABLE refunds (order_id INTEGER, product_id INTEGER, amount REAL);
    """)
    database.executemany("INSERT INTO products VALUES (?, ?, ?)", PRODUCTS)
    for number, name, email, order, _, status, product, _ in tasks():
        database.execute("INSERT INTO customers VALUES (?, ?, ?)", (number + 1, name, email))
        database.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", (order, number + 1, status, f"{number + 1} Old Street"))
        database.execute("INSERT INTO items VALUES (?, ?, ?, ?)", (order, product[0], 1 + number % 2, product[2]))
    database.commit()
    database.close()


def write_cases():
    with open("cases.jsonl", "w", encoding="utf-8") as out:
        for number, name, email, order, wish, status, product, address in tasks():
            row, calls = {}, [call("find_customer", email=email), call("get_order", order_id=order)]
            if wish == "cancel":
                goal, is_right = "cancel an order", status == "pending"
                action, change = call("cancel_order", order_id=order), order_is(order, status="cancelled")
            elif wish == "address":
                goal, is_right = f"have an order sent to {address}", status == "pending"
                action, change = call("change_address", order_id=order, address=address), order_is(order, address=address)
            else:
                goal, is_right = f"return the {product[1]} of an order", status == "delivered"
                action = call("return_item", order_id=order, product_id=product[0])
                amount = round(product[2] * (1 + number % 2), 2)
                change = {"table": "refunds", "where": {"order_id": order}, "rows": [{"product_id": product[0], "amount": amount}]}
            row["id"] = f"{wish}-{status}-{order}"
            row["goal"] = f"You want to {goal}. The order is {order}, and your email address is {email}."
            row["name"] = name
            row["expected_state"] = ([change] if is_right else []) + [{"unchanged": True}]
            row["expected_tool_calls"] = calls + ([action] if is_right else [])
            row["tags"] = [wish, "allowed" if is_right else "refused"]
            out.write(json.dumps(row) + "\n")


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def order_is(order, **columns):
    return {"table": "orders", "where": {"id": order}, "rows": [columns]}


def dice(*words):
    """A number below 100 that depends on nothing but the words."""
    return hashlib.sha256(" ".join(map(str, words)).encode()).digest()[0] * 100 // 256


def shopper(messages, _):
    goal = messages[0]["text"]
    wish = re.search(r"You want to (.*?)\. The order", goal).group(1)
    order, email = re.search(r"order is (\d+)", goal).group(1), re.search(r"address is (\S+@\S+\w)", goal).group(1)
    said = sum(message["role"] == "assistant" for message in messages)
    if said == 0:
        return f"Hello, I want to {wish}.", []
    if said == 1:
        return f"It is order {order}, and I am {email}.", []
    return "Thank you, that is all. ###STOP###", []


def clerk(messages, repeat):
    words = " ".join(message["text"] for message in messages if message["role"] == "user")
    results = {}
    for message in messages:
        for part in message.get("parts", []):
            if part["type"] == "tool_result":
                results[part["name"]] = part["text"]
    order, email = re.search(r"order (\d+)", words), re.search(r"\S+@\S+\w", words)
    if not order or not email:
        return "Gladly. Which order is it, and what is your email address?", []
    order, email = int(order.group(1)), email.group(0)
    if "find_customer" not in results:
        return "", [call("find_customer", email=email)]
    if "get_order" not in results:
        return "", [call("get_order", order_id=order)]
    found = json.loads(results["get_order"])
    slip = dice("clerk", order, repeat)
    if "cancel" in words:
        action, allowed, done = call("cancel_order", order_id=order), "pending", "is cancelled"
    elif "sent to" in words:
        address = re.search(r"sent to (.*?)\.", words).group(1)
        action, allowed, done = call("change_address", order_id=order, address=address), "pending", f"goes to {address} now"
    else:
        product = found["items"][0]["product_id"] if slip > 4 else 6
        action, allowed, done = call("return_item", order_id=order, product_id=product), "delivered", "is refunded"
    if found["status"] != allowed and slip > 24:
        return f"I am sorry, order {order} is {found['status']}, so this is not possible.", []
    # It says that it is done, and does nothing.
    if action["name"] not in results and slip > 8:
        return "", [action]
    return f"Your order {order} {done}.", []


def reply(name):
    asked = json.load(sys.stdin)
    text, calls = {"clerk": clerk, "shopper": shopper}[name](asked["messages"], asked["repeat"])
    sent = sum(len(json.dumps(message)) for message in asked["messages"])
    usage = {"input_tokens": sent // 4, "output_tokens": (len(text) + len(json.dumps(calls))) // 4}
    print(json.dumps({"text": text, "tool_calls": [{"id": f"c{at}", **made} for at, made in enumerate(calls)], "usage": usage}))


def shortened(line):
    """A line of an export without what can be found elsewhere: descriptions of tools, dates."""
    row = json.loads(line)
    if "program" in row:
        row["program"].pop("made", None)
        return "clerk", row
    entry = {key: row["entry"][key] for key in ("request", "reply")}
    entry["request"]["parameters"].pop("tools", None)
    compact = json.dumps(entry["request"], separators=(",", ":"), ensure_ascii=False)
    row["key"] = hashlib.sha256(b"probare request 1\n" + compact.encode()).hexdigest()
    row["entry"] = entry
    return entry["request"]["model"], row


def everything():
    probare = os.environ.get("PROBARE", "probare")
    write_shop()
    write_cases()
    made = ["made.db", "made-store.db", "made.jsonl"]
    for name in made:
        if os.path.exists(name):
            os.remove(name)
    subprocess.run([probare, "run", "record.yaml", "-q", "--cache", "made.db", "--store", "made-store.db"], check=True)
    subprocess.run([probare, "cache", "export", "made.jsonl", "--cache", "made.db"], check=True)
    files = {}
    for line in open("made.jsonl", encoding="utf-8"):
        name, row = shortened(line)
        files.setdefault(name, []).append(json.dumps(row, separators=(",", ":"), ensure_ascii=False))
    for name, lines in files.items():
        with open(f"{name}.jsonl", "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    for name in made:
        os.remove(name)


if __name__ == "__main__":
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "shop":
        write_shop()
        write_cases()
    elif verb == "reply":
        reply(sys.argv[2])
    elif verb == "all":
        everything()
    else:
        sys.exit(__doc__)
