#!/usr/bin/env python3
"""A small shop as a server of tools: MCP over standard input and output, six tools, orders in SQLite.

Python's standard library is all that it needs. It works on `shop.db` in the folder in which it is started, which is a fresh copy for
every sample of a run.
"""

import json
import sqlite3
import sys

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def rows(database, query, *values):
    database.row_factory = sqlite3.Row
    return [dict(row) for row in database.execute(query, values)]


def one(found, what):
    if not found:
        raise LookupError(f"there is no {what}")
    return found[0]


def find_customer(database, email):
    """Finds a customer by email address, with the numbers of all their orders."""
    customer = one(rows(database, "SELECT * FROM customers WHERE email = ?", email), f"customer with the address {email}")
    orders = rows(database, "SELECT id FROM orders WHERE customer_id = ?", customer["id"])
    return {**customer, "orders": [order["id"] for order in orders]}


def get_order(database, order_id):
    """Gives an order: its status, its address and its items."""
    order = one(rows(database, "SELECT * FROM orders WHERE id = ?", order_id), f"order {order_id}")
    items = "SELECT product_id, name, quantity, items.price FROM items JOIN products ON products.id = product_id WHERE order_id = ?"
    return {**order, "items": rows(database, items, order_id)}


def search_products(database, text):
    """Searches products by a part of their name."""
    return rows(database, "SELECT * FROM products WHERE name LIKE ?", f"%{text}%")


def cancel_order(database, order_id):
    """Cancels an order. Only orders that are not shipped yet may be cancelled."""
    one(rows(database, "SELECT id FROM orders WHERE id = ?", order_id), f"order {order_id}")
    database.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (order_id,))
    return {"order": order_id, "status": "cancelled"}


def change_address(database, order_id, address):
    """Changes where an order goes. Only orders that are not shipped yet may be changed."""
    one(rows(database, "SELECT id FROM orders WHERE id = ?", order_id), f"order {order_id}")
    database.execute("UPDATE orders SET address = ? WHERE id = ?", (address, order_id))
    return {"order": order_id, "address": address}


def return_item(database, order_id, product_id):
    """Takes an item back and refunds it. Only items of orders that are delivered may be returned."""
    found = rows(database, "SELECT * FROM items WHERE order_id = ? AND product_id = ?", order_id, product_id)
    item = one(found, f"product {product_id} in order {order_id}")
    amount = round(item["price"] * item["quantity"], 2)
    database.execute("INSERT INTO refunds (order_id, product_id, amount) VALUES (?, ?, ?)", (order_id, product_id, amount))
    return {"order": order_id, "refunded": amount}


TOOLS = {
    find_customer: {"email": TEXT},
    get_order: {"order_id": NUMBER},
    search_products: {"text": TEXT},
    cancel_order: {"order_id": NUMBER},
    change_address: {"order_id": NUMBER, "address": TEXT},
    return_item: {"order_id": NUMBER, "product_id": NUMBER},
}


def described(tool):
    properties = TOOLS[tool]
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": tool.__name__, "description": tool.__doc__, "inputSchema": schema}


def called(database, name, arguments):
    tool = next((tool for tool in TOOLS if tool.__name__ == name), None)
    try:
        if tool is None:
            raise LookupError(f"there is no tool {name}")
        result, failed = json.dumps(tool(database, **arguments)), False
        database.commit()
    except (LookupError, TypeError, sqlite3.Error) as error:
        result, failed = str(error), True
    return {"content": [{"type": "text", "text": result}], "isError": failed}


def main():
    database = sqlite3.connect("shop.db")
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        asked = message.get("params", {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "initialize":
            about = {"name": "shop", "version": "1"}
            reply["result"] = {"protocolVersion": asked["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        elif message["method"] == "tools/list":
            reply["result"] = {"tools": [described(tool) for tool in TOOLS]}
        elif message["method"] == "tools/call":
            reply["result"] = called(database, asked["name"], asked.get("arguments", {}))
        else:
            reply["error"] = {"code": -32601, "message": f"there is no method {message['method']}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
